// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.lang.foreign.MemorySegment;

/**
 * Receives messages in place, without a copy and without garbage.
 *
 * <p>What it throws reaches the caller of {@code poll}; the message counts as received.
 */
@FunctionalInterface
public interface MessageHandler {
    /** Set in {@code flag} if more frames of the same group follow: {@value}. */
    int MORE = MetaData.MORE;

    /**
     * Called with a message.
     *
     * @param nodeId the node id of the side that connected
     * @param flag {@link #MORE} or 0
     * @param memory where it is; valid only during this call
     * @param offset where in the memory it starts
     * @param length how many bytes it has
     */
    void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int length);
}
