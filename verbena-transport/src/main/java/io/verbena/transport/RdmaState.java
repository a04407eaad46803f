// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

/** Where the bytes of a connection go, as far as the handshake has decided it. */
public enum RdmaState {
    /** Not decided. */
    RDMA_UNKNOWN,
    /** Over the queue pair. */
    RDMA_ON,
    /** Over TCP. */
    RDMA_OFF
}
