// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * The shared memory through which a queue pair moves bytes from or to memory its peer cannot map: a
 * few chunks, used in order, and free again when the frame that describes them is acknowledged.
 * Used inside the queue pair's turn.
 */
final class Staging {
    static final int CHUNKS = 4;
    static final int CHUNK_BYTES = 64 * 1024;
    static final long BYTES = (long) CHUNKS * CHUNK_BYTES;

    private final SharedBlock block;
    private final long[] ends = new long[CHUNKS];
    private final int[] lengths = new int[CHUNKS];
    private final long[] readIndices = new long[CHUNKS];
    private final long[] readOffsets = new long[CHUNKS];
    private long tail;
    private long head;

    Staging(SharedBlock block) {
        this.block = block;
    }

    boolean isFull() {
        return tail - head == CHUNKS;
    }

    /** {@return whether the oldest chunk's frame ends at or before a position} */
    boolean isReleasable(long acknowledged) {
        return head < tail && ends[chunk(head)] <= acknowledged;
    }

    SharedBlock block() {
        return block;
    }

    MemorySegment memory() {
        return block.memory();
    }

    /** {@return the offset of the next free chunk in {@link #memory()}} */
    long nextOffset() {
        return offset(tail);
    }

    /**
     * Takes the next free chunk.
     *
     * @param end the ring position after the frame that describes it
     * @param readIndex the read request whose bytes will land in it, or -1
     * @param readOffset where in that request's message they belong
     */
    void take(long end, int length, long readIndex, long readOffset) {
        int chunk = chunk(tail++);
        ends[chunk] = end;
        lengths[chunk] = length;
        readIndices[chunk] = readIndex;
        readOffsets[chunk] = readOffset;
    }

    void release() {
        head++;
    }

    long headOffset() {
        return offset(head);
    }

    int headLength() {
        return lengths[chunk(head)];
    }

    long headReadIndex() {
        return readIndices[chunk(head)];
    }

    long headReadOffset() {
        return readOffsets[chunk(head)];
    }

    private long offset(long index) {
        return block.offset() + (long) chunk(index) * CHUNK_BYTES;
    }

    private static int chunk(long index) {
        return (int) index & CHUNKS - 1;
    }
}
