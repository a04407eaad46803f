// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;

/**
 * A stream of messages of bytes in both directions, which a call has opened; brpc's {@code Stream}.
 * A client makes it with {@link ClientCall#createStream} before the call, a service accepts it with
 * {@link Call#acceptStream} inside its method, and it lives on after the call, as long as its
 * connection.
 *
 * <p>Messages are sent from the blocks they were built in and delivered in the blocks they were
 * received in.
 *
 * <p>Flow control: a message can be written while fewer bytes than {@link
 * ByteStreamOptions#maxBufSize} are on their way or not yet consumed by the peer.
 *
 * <p>Threads: any may write and close; one at a time reads.
 */
public interface ByteStream extends AutoCloseable {
    /** {@return this side's id of the stream} */
    long id();

    /**
     * Writes a message. Waits while the window is full, or the call that opens the stream has no
     * answer yet.
     *
     * @param message is emptied
     * @throws RpcException if the stream has ended, or the peer does not read
     */
    void write(IOBuf message);

    /**
     * {@return whether a message was written; false if the window is full} Never waits.
     *
     * @param message is emptied if this returns true, and unchanged otherwise
     * @throws RpcException if the stream has ended, or the peer does not read
     */
    boolean tryWrite(IOBuf message);

    /**
     * Sets what runs when the window has room again after {@link #tryWrite} returned false, each
     * time, and when the stream ends.
     *
     * @param action runs on a virtual thread, never twice at a time
     */
    void onWritable(Runnable action);

    /**
     * {@return whether there was another message} Waits for it. Only for streams without a {@link
     * ByteStreamHandler}.
     *
     * @param target gets the message behind what it already contains
     * @throws RpcException if the stream has failed; what arrived before that has been read
     */
    boolean read(IOBuf target);

    /** {@return whether the stream has ended, by either side} */
    boolean isClosed();

    /** Ends the stream in both directions. What was written is still delivered. Idempotent. */
    @Override
    void close();
}
