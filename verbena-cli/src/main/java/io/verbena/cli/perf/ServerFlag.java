// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.perf;

import io.verbena.transport.Flag;
import java.util.Locale;

/** The flags of {@code perf server}, those of brpc's program. */
enum ServerFlag implements Flag {
    /** Where it listens; 0 takes any free port. */
    PORT(8002L),
    /** Whether clients may use RDMA. */
    USE_RDMA(true);

    private static final long MAX_PORT = 65535;

    @SuppressWarnings("ImmutableEnumChecker") // a Long or a Boolean
    private final Object initial;

    ServerFlag(Object initial) {
        this.initial = initial;
    }

    @Override
    public String flagName() {
        return name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Object initialValue() {
        return initial;
    }

    @Override
    public long least() {
        return 0;
    }

    @Override
    public long most() {
        return MAX_PORT;
    }
}
