// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;

/**
 * How a dispatcher waits.
 *
 * @param isPolling whether it never sleeps
 * @param isYielding whether it lets other threads run between two polls that found nothing
 * @param spinNs how long it polls after its last completion before it sleeps; 0 sleeps at once
 * @param pollOnce the most completions of one poll
 */
record DispatcherOptions(boolean isPolling, boolean isYielding, long spinNs, int pollOnce) {
    /** {@return what the flags say} */
    static DispatcherOptions of(TransportFlags flags) {
        return new DispatcherOptions(
                flags.isOn(TransportFlag.RDMA_USE_POLLING),
                flags.isOn(TransportFlag.RDMA_POLLER_YIELD),
                flags.number(TransportFlag.RDMA_SPIN_US) * 1000,
                flags.integer(TransportFlag.RDMA_CQE_POLL_ONCE));
    }
}
