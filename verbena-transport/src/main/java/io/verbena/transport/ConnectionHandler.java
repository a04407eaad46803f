// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;

/**
 * The callbacks of a connection. Called by the connection's dispatcher or event loop, one call at a
 * time; implementations must not block.
 */
public interface ConnectionHandler {
    /**
     * {@return whether it calls {@link Connection#admit} once the peer has proved itself} Until
     * then a server limits the time and the number of such connections.
     */
    default boolean admitsPeers() {
        return false;
    }

    /**
     * The handshake is over and bytes flow.
     *
     * @param connection whose
     */
    void onOpen(Connection connection);

    /**
     * Bytes have arrived.
     *
     * @param connection from where
     * @param received everything that arrived and was not yet cut out of this buffer; what is left
     *     in it is there again next time, followed by new bytes. The buffer belongs to the
     *     connection
     */
    void onData(Connection connection, IOBuf received);

    /**
     * The connection has ended. This is the last call, and the only one if the handshake failed.
     *
     * @param connection which
     * @param reason why: EEOF if the peer closed it, ECLOSE if this side did
     */
    void onClose(Connection connection, TransportException reason);
}
