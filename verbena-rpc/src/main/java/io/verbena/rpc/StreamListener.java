// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * Is told of the messages of a stream: {@link #onMessage} for each, in order, and then either
 * {@link #onEnd} or {@link #onFailure}, once.
 *
 * <p>Flow control: the next message is passed on when {@link #onMessage} has returned, unless the
 * reader is {@link StreamReader#pause paused}. So a listener may block, or pause its reader and
 * resume it later.
 *
 * <p>Threads: one at a time, a virtual one unless the channel's options say otherwise.
 *
 * @param <M> the messages' class
 */
public interface StreamListener<M> {
    /**
     * A message has arrived.
     *
     * @param message the message
     * @throws Exception cancels the call, which ends with {@link #onFailure}
     */
    void onMessage(M message) throws Exception;

    /** The other side has sent its last message; on a client the call has succeeded. */
    default void onEnd() {}

    /**
     * The call has failed.
     *
     * @param failure why
     */
    default void onFailure(RpcException failure) {}
}
