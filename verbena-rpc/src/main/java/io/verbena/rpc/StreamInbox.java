// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.wire.StreamCutter;
import java.util.Arrays;

/**
 * Messages of a stream that have arrived and were not read. Their bytes are in one buffer, one
 * behind the other, so that a message needs no object.
 *
 * <p>Threads: the connection's pushes, one other at a time polls, any closes. The poller takes all
 * that is there at once, so the two meet in the lock once per batch.
 */
final class StreamInbox {
    private static final int FIRST_CAPACITY = 16;

    /** Guarded by this, like everything of {@code Batch arrived}. */
    private Batch arrived;

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

        void clear() {
            bytes.clear();
            first = 0;
            count = 0;
        }
    }

    StreamInbox(BlockPool pool) {
        arrived = new Batch(pool.buffer());
        taken = new Batch(pool.buffer());
    }

    /** Takes a message out of received bytes. */
    synchronized void push(StreamCutter cutter, IOBuf received) {
        if (isClosed) {
            cutter.skip(received);
            return;
        }
        int size = (int) cutter.dataSize();
        cutter.cutData(received, arrived.bytes);
        arrived.add(size);
    }

    /** Takes a message that came in segments. */
    synchronized void push(IOBuf message) {
        if (isClosed) {
            message.clear();
            return;
        }
        arrived.add((int) message.size());
        message.cutInto(arrived.bytes, message.size());
    }

    /**
     * {@return the size of the next message, which is moved behind what a buffer has; -1 if there
     * is none}
     */
    int poll(IOBuf target) {
        synchronized (taking) {
            if (taken.isEmpty() && !trySwap()) {
                return -1;
            }
            int size = taken.sizes[taken.first++];
            taken.bytes.cutInto(target, size);
            return size;
        }
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

    /** Drops everything, and everything that arrives from now on. */
    void close() {
        synchronized (this) {
            isClosed = true;
            arrived.clear();
        }
        synchronized (taking) {
            taken.clear();
        }
    }
}
