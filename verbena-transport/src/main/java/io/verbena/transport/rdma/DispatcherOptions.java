// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.PollerOptions;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;

/**
 * How a dispatcher polls.
 *
 * @param polling how its poller waits
 * @param pollOnce the most completions of one poll
 */
record DispatcherOptions(PollerOptions polling, int pollOnce) {
    /** {@return what the flags say} */
    static DispatcherOptions of(TransportFlags flags) {
        return new DispatcherOptions(
                new PollerOptions(
                        flags.isOn(TransportFlag.RDMA_USE_POLLING),
                        flags.isOn(TransportFlag.RDMA_POLLER_YIELD),
                        flags.number(TransportFlag.RDMA_SPIN_US) * 1000),
                flags.integer(TransportFlag.RDMA_CQE_POLL_ONCE));
    }
}
