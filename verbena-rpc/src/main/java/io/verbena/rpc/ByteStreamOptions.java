// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.Optional;

/** The settings of a {@link ByteStream}, with brpc's names and values. Immutable. */
public final class ByteStreamOptions {
    /** brpc's values, and no handler. */
    public static final ByteStreamOptions DEFAULT =
            new ByteStreamOptions(1 << 20, 2 << 20, -1, 128, Optional.empty());

    private final int minBufSize;
    private final int maxBufSize;
    private final long idleTimeoutMs;
    private final int messagesInBatch;
    private final Optional<ByteStreamHandler> handler;

    private ByteStreamOptions(
            int minBufSize,
            int maxBufSize,
            long idleTimeoutMs,
            int messagesInBatch,
            Optional<ByteStreamHandler> handler) {
        this.minBufSize = minBufSize;
        this.maxBufSize = maxBufSize;
        this.idleTimeoutMs = idleTimeoutMs;
        this.messagesInBatch = messagesInBatch;
        this.handler = handler;
    }

    /** {@return the smallest window, if {@code socket_max_streams_unconsumed_bytes} is set} */
    public int minBufSize() {
        return minBufSize;
    }

    /** {@return the window: how many bytes the peer need not have consumed; 0 means no limit} */
    public int maxBufSize() {
        return maxBufSize;
    }

    /**
     * {@return a copy with other windows}
     *
     * @param min the new {@link #minBufSize()}
     * @param max the new {@link #maxBufSize()}
     */
    public ByteStreamOptions withBufSizes(int min, int max) {
        Options.require(max >= 0, "max_buf_size", max, "0 or more");
        // brpc ignores a least size that is larger
        return new ByteStreamOptions(
                min > max ? 0 : Math.max(0, min), max, idleTimeoutMs, messagesInBatch, handler);
    }

    /** {@return after how long without a message the handler is told; -1 means never} */
    public long idleTimeoutMs() {
        return idleTimeoutMs;
    }

    /**
     * {@return a copy with another {@link #idleTimeoutMs()}}
     *
     * @param value the new value
     */
    public ByteStreamOptions withIdleTimeoutMs(long value) {
        Options.require(value == -1 || value > 0, "idle_timeout_ms", value, "-1, or 1 or more");
        return new ByteStreamOptions(minBufSize, maxBufSize, value, messagesInBatch, handler);
    }

    /** {@return how many messages the handler gets at a time} */
    public int messagesInBatch() {
        return messagesInBatch;
    }

    /**
     * {@return a copy with another {@link #messagesInBatch()}}
     *
     * @param value the new value
     */
    public ByteStreamOptions withMessagesInBatch(int value) {
        Options.require(value > 0, "messages_in_batch", value, "1 or more");
        return new ByteStreamOptions(minBufSize, maxBufSize, idleTimeoutMs, value, handler);
    }

    /** {@return who is told of messages; without, they are {@link ByteStream#read read}} */
    public Optional<ByteStreamHandler> handler() {
        return handler;
    }

    /**
     * {@return a copy with another {@link #handler()}}
     *
     * @param value the new value
     */
    public ByteStreamOptions withHandler(ByteStreamHandler value) {
        return new ByteStreamOptions(
                minBufSize, maxBufSize, idleTimeoutMs, messagesInBatch, Optional.of(value));
    }
}
