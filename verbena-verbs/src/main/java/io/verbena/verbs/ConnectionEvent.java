// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.util.Optional;

/**
 * Something that happened to a connection identifier; {@code rdma_cm_event}.
 *
 * @param type what happened
 * @param identifier the identifier it happened to; for CONNECT_REQUEST a new one
 * @param listener the listener that took the request, for CONNECT_REQUEST
 * @param status 0, a negative error number, or the reason for a rejection (28: refused by the
 *     application, 8: no listener)
 * @param parameters what the peer offered or answered, seen from this side: its initiator depth is
 *     {@code responderResources} here; private data included
 */
public record ConnectionEvent(
        ConnectionEventType type,
        ConnectionIdentifier identifier,
        Optional<ConnectionIdentifier> listener,
        int status,
        ConnectionParameters parameters) {
    /** The status of REJECTED when the peer's application refused. */
    public static final int REJECTED_BY_CONSUMER = 28;

    /** The status of REJECTED when there is no listener on that port. */
    public static final int REJECTED_NO_LISTENER = 8;
}
