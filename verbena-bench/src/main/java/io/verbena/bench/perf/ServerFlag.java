// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.transport.Flag;

/** The flags of {@code perf server}, those of brpc's program. */
enum ServerFlag implements Flag {
    /** Where it listens; 0 takes any free port. */
    PORT(8002, 0, 65_535),
    /** Whether clients may use RDMA. */
    USE_RDMA(true);

    @SuppressWarnings("ImmutableEnumChecker") // a Long or a Boolean
    private final Setting setting;

    ServerFlag(long initial, long least, long most) {
        setting = new Setting(initial, least, most);
    }

    ServerFlag(boolean initial) {
        setting = new Setting(initial);
    }

    @Override
    public Setting setting() {
        return setting;
    }
}
