// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;

/** A client's connection, as protocols see it. */
public interface ServerConnection {
    /** {@return the bytes below: addresses, statistics, close} */
    Connection transport();

    /** {@return the server} */
    ServerView server();

    /**
     * Writes a message, or collects it with others if the connection's own thread writes. Any
     * thread.
     *
     * @param message is emptied
     * @throws io.verbena.transport.TransportException if it cannot be written
     */
    void write(IOBuf message);

    /** Closes the connection after what was written has gone, also what was collected. */
    void closeAfterWrites();
}
