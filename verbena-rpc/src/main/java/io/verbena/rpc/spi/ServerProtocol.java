// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.memory.IOBuf;

/**
 * A wire format that one server speaks. Several share a port, and even a connection.
 *
 * <p>To find the protocol of a message, the server asks the one that took the previous message,
 * then the others in turn. On a new connection it begins with {@code baidu_std}; the rest follow by
 * name. The first answer that is not {@link Outcome#NOT_MINE} decides. If all say {@code NOT_MINE},
 * the server closes the connection with EPROTO and logs what the bytes look like. A protocol must
 * say {@code NOT_MINE} as soon as the bytes cannot be its own: while it says {@link
 * Outcome#NEED_MORE}, no other protocol is asked.
 */
public interface ServerProtocol extends AutoCloseable {
    /**
     * {@return a parser for the messages of a connection; called when the first bytes arrive}
     *
     * @param connection the connection
     */
    Parser parser(ServerConnection connection);

    /**
     * The server stops: it accepts no more calls, and closes its connections when those under way
     * are answered. Called by any thread, at least once before {@link #close}; must not block.
     */
    default void onStop() {}

    /** The server has ended, and with it all connections. Called once. */
    @Override
    default void close() {}

    /** What happened to the bytes at the front of a buffer. */
    enum Outcome {
        /** A message was taken out of the buffer, and is being handled. */
        CONSUMED,
        /** They may become a message when more arrive. The buffer is unchanged. */
        NEED_MORE,
        /** They are not a message of this protocol. The buffer is unchanged. */
        NOT_MINE,
        /** They are malformed; the connection is being closed, and nothing more may be read. */
        CLOSED
    }

    /** Reads the messages of one connection. Called by the connection's thread; must not block. */
    interface Parser {
        /**
         * {@return what happened to the bytes at the front}
         *
         * @param received all bytes that have arrived and were not yet consumed; never empty
         */
        Outcome consume(IOBuf received);

        /**
         * {@return whether the last byte that it has consumed ended a message} While it is in the
         * middle of one, the rest must not take too long.
         */
        default boolean isBetweenMessages() {
            return true;
        }

        /**
         * The rest of a message has not arrived in time. A protocol that can say so answers, then
         * closes the connection. Unlike the other methods, this one is called by a thread of the
         * server, at any time; it must not block.
         *
         * @param why what to answer
         * @return whether there is an answer; otherwise the connection ends without one
         */
        default boolean answerLate(String why) {
            return false;
        }

        /** The connection has ended: releases memory. Called by the connection's thread, once. */
        default void onClose() {}
    }
}
