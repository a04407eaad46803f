// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.memory.IOBuf;

/**
 * A wire format that servers speak. Several share a port, and even a connection: each message is
 * offered to the protocol of the message before, and then to all in their order.
 */
public interface Protocol {
    /** {@return brpc's name of it, such as {@code baidu_std}} */
    String name();

    /**
     * {@return what reads messages of a connection; made when the first bytes come}
     *
     * @param connection where they come from
     */
    Parser parser(ServerConnection connection);

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
