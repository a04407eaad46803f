// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * Sends messages to the other side of a call, in order. {@link #write} waits for room and suits
 * virtual threads; {@link #tryWrite} with {@link #onReady} is for programs that must not wait.
 *
 * <p>Flow control: there is room as long as the other side reads.
 *
 * <p>Threads: any may write; the messages of one thread arrive in its order.
 *
 * @param <M> the messages' class
 */
public interface StreamWriter<M> extends AutoCloseable {
    /**
     * Sends a message. Waits while there is no room. An interrupt cancels the call.
     *
     * @param message the message
     * @throws RpcException if the call is over
     * @throws IllegalStateException if this side has closed the stream
     */
    void write(M message);

    /**
     * {@return whether a message was sent; false if there is no room now} Never waits.
     *
     * @param message the message
     * @throws RpcException if the call is over
     * @throws IllegalStateException if this side has closed the stream
     */
    boolean tryWrite(M message);

    /**
     * Sets what runs when there is room again after {@link #tryWrite} returned false, each time,
     * and when the call is over.
     *
     * @param action runs on a virtual thread unless the channel's options say otherwise, never
     *     twice at a time
     */
    void onReady(Runnable action);

    /**
     * Says that this was the last message; the other side may still send. A service need not close:
     * its call ends with its method. Idempotent.
     */
    @Override
    void close();
}
