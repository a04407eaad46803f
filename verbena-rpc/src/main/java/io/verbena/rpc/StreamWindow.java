// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How much a stream may still send. A message may begin while fewer bytes than the window are on
 * their way or not consumed, so the last one may go beyond it.
 *
 * <p>Threads: one at a time produces, under the stream's lock; the connection's hears of what was
 * consumed; any ends it.
 */
final class StreamWindow {
    private final int min;
    private final int max;
    private volatile long size;
    private final AtomicLong consumed = new AtomicLong();
    private volatile long produced;

    /** Whether a writer was refused, and hears of room. */
    private volatile boolean isAwaited;

    StreamWindow(ByteStreamOptions options, boolean isShared) {
        min = options.minBufSize();
        max = options.maxBufSize();
        size = isShared && min > 0 ? min : max;
    }

    /** {@return whether the peer has to say what it consumed} */
    boolean isLimited() {
        return max > 0;
    }

    /** {@return whether a message may begin; if not, {@link #tryConsume} will say when} */
    boolean isOpen() {
        if (max == 0 || hasRoom()) {
            return true;
        }
        isAwaited = true;
        // consumed may have changed before that was seen
        return hasRoom();
    }

    private boolean hasRoom() {
        return produced - consumed.get() < size;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time produces
    void produce(long bytes) {
        produced += bytes;
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time produces
    void takeBack(long bytes) {
        produced -= bytes;
    }

    /**
     * {@return how much more the peer has consumed; -1 if it claims what is impossible} A value
     * that goes back says nothing new.
     */
    long tryConsume(long total) {
        long before = consumed.get();
        if (total < 0 || total > produced) {
            return -1;
        }
        if (total <= before) {
            return 0;
        }
        // fails if the stream has ended meanwhile, which has counted the bytes
        return consumed.compareAndSet(before, total) ? total - before : 0;
    }

    /** Other streams of the connection are not consumed: fewer bytes from now on. As in brpc. */
    void shrink() {
        size = min > 0 ? min : Math.max(1, size / 2);
    }

    /** The window is full though the peer consumes: more bytes from now on. As in brpc. */
    void growIfFull() {
        if (!hasRoom() && size < max) {
            size = Math.min(max, size * 2);
        }
    }

    /** {@return whether a writer was refused and there is room now; says so once} */
    boolean tryWake() {
        if (isAwaited && hasRoom()) {
            isAwaited = false;
            return true;
        }
        return false;
    }

    /**
     * {@return how much the peer has not consumed, which from now on counts as consumed} Nothing is
     * produced any more.
     */
    long end() {
        long all = produced;
        return all - consumed.getAndSet(all);
    }
}
