// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.memory.IOBuf;

/**
 * A wire format that one server speaks. Several share a port, and even a connection.
 *
 * <p>Which protocol gets a message: the server asks the one that took the message before, then the
 * others in turn; on a new connection it begins with {@code baidu_std}, and the rest follow by
 * name. The first answer that is not {@link Outcome#NOT_MINE} decides. If all say {@code NOT_MINE},
 * the server closes the connection with EPROTO and logs what the bytes look like. So a protocol
 * must say {@code NOT_MINE} as soon as the bytes cannot be its own: while it says {@link
 * Outcome#NEED_MORE}, no other is asked.
 */
public interface ServerProtocol extends AutoCloseable {
    /**
     * {@return what reads the messages of a connection; made when the first bytes come}
     *
     * @param connection where they come from
     */
    Parser parser(ServerConnection connection);

    /** The server has ended, and with it all connections. Called once. */
    @Override
    default void close() {}

    /** What became of the bytes at the front of a buffer. */
    enum Outcome {
        /** A message was taken out of the buffer, and is being handled. */
        CONSUMED,
        /** They may be a message when more have come. The buffer is unchanged. */
        NEED_MORE,
        /** They are no message of this protocol. The buffer is unchanged. */
        NOT_MINE,
        /** They are broken, the connection is being closed, and nothing more is to be read. */
        CLOSED
    }

    /** Reads the messages of one connection. Called by the connection's thread; must not block. */
    interface Parser {
        /**
         * {@return what became of the bytes at the front}
         *
         * @param received all that has arrived and was not yet consumed; never empty
         */
        Outcome consume(IOBuf received);

        /** The connection has ended: gives back memory. Called by the connection's thread, once. */
        default void onClose() {}
    }
}
