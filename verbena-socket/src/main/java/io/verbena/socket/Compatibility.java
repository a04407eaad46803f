// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/** What a socket offers its peer. */
public enum Compatibility {
    /** Only the protocol of the C program {@code rdma_socket}. */
    SEED,
    /** Small messages inside a SEND, if the peer offers it too; otherwise like {@link #SEED}. */
    NATIVE
}
