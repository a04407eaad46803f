// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import java.util.List;

/**
 * Is told what arrives on a {@link ByteStream}; brpc's {@code StreamInputHandler}. Called by one
 * virtual thread at a time, so it may block: that stops the peer once the window is full, and
 * nobody else. If it throws, its stream ends.
 */
public interface ByteStreamHandler {
    /**
     * Messages have arrived, in order. When this returns they are consumed.
     *
     * @param stream the stream
     * @param messages at most {@link ByteStreamOptions#messagesInBatch}; what is left in them is
     *     released afterwards
     */
    void onMessages(ByteStream stream, List<IOBuf> messages);

    /**
     * Nothing has arrived for {@link ByteStreamOptions#idleTimeoutMs}.
     *
     * @param stream the stream
     */
    default void onIdle(ByteStream stream) {}

    /**
     * The stream ends because something failed; {@link #onClosed} follows.
     *
     * @param stream the stream
     * @param failure why
     */
    default void onFailed(ByteStream stream, RpcException failure) {}

    /**
     * The stream has ended. The last call.
     *
     * @param stream the stream
     */
    default void onClosed(ByteStream stream) {}
}
