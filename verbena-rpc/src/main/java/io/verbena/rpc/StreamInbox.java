// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Messages of a stream that have arrived and were not read. Their bytes are in one buffer, one
 * behind the other, so that a message needs no object. The memory counts against the limits of the
 * connection until it is polled or dropped.
 *
 * <p>Threads: the connection's pushes, one other at a time polls, any closes. The poller takes all
 * that is there at once, so the two meet in the lock once per batch.
 */
final class StreamInbox {
    private static final int FIRST_CAPACITY = 16;

    /** What happened to a frame. */
    enum Pushed {
        /** A message is complete. */
        MESSAGE,
        /** More segments of its message will follow. */
        SEGMENT,
        /** It is gone: nobody reads any more. */
        DROPPED,
        /** It is gone: there is too much unread. */
        NO_ROOM,
        /** It is gone: its message is too long. */
        TOO_LONG
    }

    private final ConnectionStreams host;

    /** The memory of what is here. */
    private final AtomicLong held = new AtomicLong();

    /** Guarded by this, like everything of {@code Batch arrived}. */
    private Batch arrived;

    /** Segments of a message that is not complete. Guarded by this. */
    private final IOBuf segments;

    private boolean isJoining;
    private boolean isInputEnded;
    private boolean isClosed;

    /** What the poller has taken; only it uses this, under {@code taking}. */
    private Batch taken;

    /** Held by the poller, and by whoever closes. Taken before the monitor of this. */
    private final Object taking = new Object();

    /** Messages, in one buffer. */
    private static final class Batch {
        private final IOBuf bytes;
        private int[] sizes = new int[FIRST_CAPACITY];
        private int first;
        private int count;

        Batch(IOBuf bytes) {
            this.bytes = bytes;
        }

        void add(int size) {
            if (count == sizes.length) {
                sizes = Arrays.copyOf(sizes, count * 2);
            }
            sizes[count++] = size;
        }

        boolean isEmpty() {
            return first == count;
        }

        int left() {
            return count - first;
        }

        void clear() {
            bytes.clear();
            first = 0;
            count = 0;
        }
    }

    StreamInbox(ConnectionStreams host) {
        this.host = host;
        arrived = new Batch(host.pool().buffer());
        taken = new Batch(host.pool().buffer());
        segments = host.pool().buffer();
    }

    /** {@return what became of a frame with data, which is removed from the received bytes} */
    synchronized Pushed push(StreamCutter cutter, IOBuf received) {
        if (isClosed || isInputEnded) {
            cutter.skip(received);
            return Pushed.DROPPED;
        }
        long size = cutter.dataSize();
        if (!tryKeep(isJoining ? size : size + ConnectionStreams.ENTRY_BYTES)) {
            cutter.skip(received);
            return Pushed.NO_ROOM;
        }
        if (isJoining || cutter.meta().hasContinuation()) {
            return join(cutter, received);
        }
        cutter.cutData(received, arrived.bytes);
        arrived.add((int) size);
        return Pushed.MESSAGE;
    }

    private Pushed join(StreamCutter cutter, IOBuf received) {
        isJoining = cutter.meta().hasContinuation();
        cutter.cutData(received, segments);
        if (segments.size() > host.maxMessageBytes()) {
            dropSegments();
            return Pushed.TOO_LONG;
        }
        if (isJoining) {
            return Pushed.SEGMENT;
        }
        arrived.add((int) segments.size());
        segments.cutInto(arrived.bytes, segments.size());
        return Pushed.MESSAGE;
    }

    private boolean tryKeep(long cost) {
        if (!host.tryKeep(cost, held.get() + cost)) {
            return false;
        }
        held.addAndGet(cost);
        return true;
    }

    private void giveBack(long bytes, int messages) {
        long cost = bytes + (long) messages * ConnectionStreams.ENTRY_BYTES;
        held.addAndGet(-cost);
        host.dropped(cost);
    }

    private void dropSegments() {
        if (isJoining || !segments.isEmpty()) {
            giveBack(segments.size(), 1);
            segments.clear();
            isJoining = false;
        }
    }

    /**
     * {@return the size of the next message, which is moved behind what a buffer has; -1 if there
     * is none}
     */
    int poll(IOBuf target) {
        int size;
        synchronized (taking) {
            if (taken.isEmpty() && !trySwap()) {
                return -1;
            }
            size = taken.sizes[taken.first++];
            taken.bytes.cutInto(target, size);
        }
        giveBack(size, 1);
        return size;
    }

    private boolean trySwap() {
        taken.clear();
        synchronized (this) {
            Batch filled = arrived;
            arrived = taken;
            taken = filled;
        }
        return !taken.isEmpty();
    }

    /** The stream has ended: a message that is not complete will never be. */
    synchronized void endInput() {
        isInputEnded = true;
        dropSegments();
    }

    /** {@return how many bytes were dropped} Everything that arrives from now on is dropped too. */
    long close() {
        long bytes;
        synchronized (this) {
            isClosed = true;
            bytes = segments.size();
            dropSegments();
            bytes += drop(arrived);
        }
        synchronized (taking) {
            return bytes + drop(taken);
        }
    }

    private long drop(Batch batch) {
        long bytes = batch.bytes.size();
        giveBack(bytes, batch.left());
        batch.clear();
        return bytes;
    }
}
