// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/**
 * The pieces of a buffer with their references, and the room after the last byte.
 *
 * <p>Room: only the chain that took a block from the pool may write to it, from {@link #tailEnd}
 * on. Others may share the bytes before that. The right to write leaves with the first piece of the
 * block that leaves the chain: it goes to the chain the piece is moved to, or to nobody. So a chain
 * that has the right also holds a reference.
 */
final class PieceChain {
    private final BlockPool pool;
    private final BlockType blockType;
    private final Pieces pieces = new Pieces();
    private long size;
    private Block tail;
    private int tailEnd;

    PieceChain(BlockPool pool) {
        this.pool = pool;
        this.blockType = pool.options().recvBlockType();
    }

    Pieces pieces() {
        return pieces;
    }

    long size() {
        return size;
    }

    /** {@return how many bytes a block for appended bytes has} */
    int blockBytes() {
        return blockType.bytes();
    }

    /**
     * {@return the room after the last byte, at least this much}
     *
     * @param least at most {@link #blockBytes}
     */
    int tailRoom(int least) {
        if (tail == null || tail.capacity() - tailEnd < least) {
            tail = pool.allocate(blockType, BlockUse.SEND);
            tailEnd = 0;
        }
        return tail.capacity() - tailEnd;
    }

    /** {@return the room after the last byte, without taking a block} */
    int tailLeft() {
        return tail == null ? 0 : tail.capacity() - tailEnd;
    }

    /** {@return the segment that {@link #tailOffset} is an offset in} */
    MemorySegment tailBase() {
        return tail.base();
    }

    /** {@return where the room after the last byte starts} */
    long tailOffset() {
        return tail.start() + tailEnd;
    }

    /** This many bytes of the room were written. */
    void tailWritten(int bytes) {
        long start = tailOffset();
        if (pieces.continuesLast(tail, start, bytes)) {
            pieces.lengthenLast(bytes);
        } else {
            // the first piece takes over the reference the block came with
            if (tailEnd > 0) {
                tail.addReferences(1);
            }
            pieces.addLast(tail, start, bytes);
        }
        tailEnd += bytes;
        size += bytes;
    }

    /** Drops what a failed append has left after the earlier bytes. */
    void undo(long before) {
        if (tail != null && tailEnd == 0) {
            tail.dropReference();
            tail = null;
        }
        popBack(size - before);
    }

    /** Appends a piece and takes over a reference to its memory. */
    void add(CountedMemory memory, long start, int length) {
        if (pieces.continuesLast(memory, start, length)) {
            pieces.lengthenLast(length);
            memory.dropReference();
        } else {
            pieces.addLast(memory, start, length);
        }
        size += length;
    }

    /** Appends all pieces of a chain, which keeps them as well. */
    void share(PieceChain other) {
        int count = other.pieces.count();
        for (int i = 0; i < count; i++) {
            CountedMemory memory = other.pieces.memory(i);
            long start = other.pieces.start(i);
            int length = other.pieces.length(i);
            // a chain that shares itself must not extend a piece it has yet to visit
            if (other != this && pieces.continuesLast(memory, start, length)) {
                pieces.lengthenLast(length);
            } else {
                memory.addReferences(1);
                pieces.addLast(memory, start, length);
            }
            size += length;
        }
    }

    /** Moves this many bytes, at most {@link #size}, from the front to the end of another. */
    void cutInto(PieceChain target, long bytes) {
        long left = bytes;
        while (left > 0) {
            CountedMemory memory = pieces.memory(0);
            long start = pieces.start(0);
            int length = pieces.length(0);
            if (length > left) {
                memory.addReferences(1);
                target.add(memory, start, (int) left);
                pieces.shortenFirst((int) left);
                size -= left;
                return;
            }
            pieces.removeFirst();
            size -= length;
            left -= length;
            target.add(memory, start, length);
            if (memory == tail) {
                target.tail = tail;
                target.tailEnd = tailEnd;
                tail = null;
            }
        }
    }

    /** Drops this many bytes, at most {@link #size}, from the front. */
    void popFront(long bytes) {
        long left = bytes;
        Throwable failure = null;
        while (left > 0) {
            int length = pieces.length(0);
            if (length > left) {
                pieces.shortenFirst((int) left);
                size -= left;
                break;
            }
            CountedMemory memory = pieces.memory(0);
            pieces.removeFirst();
            left -= length;
            failure = drop(memory, length, failure);
        }
        Steps.throwIfAny(failure);
    }

    /** Drops this many bytes, at most {@link #size}, from the end. */
    void popBack(long bytes) {
        long left = bytes;
        Throwable failure = null;
        while (left > 0) {
            int last = pieces.count() - 1;
            int length = pieces.length(last);
            if (length > left) {
                pieces.shortenLast((int) left);
                size -= left;
                break;
            }
            CountedMemory memory = pieces.memory(last);
            pieces.removeLast();
            left -= length;
            failure = drop(memory, length, failure);
        }
        Steps.throwIfAny(failure);
    }

    /** A piece that cannot be released must not keep the others from being released. */
    private Throwable drop(CountedMemory memory, int length, Throwable failure) {
        size -= length;
        if (memory == tail) {
            tail = null;
        }
        try {
            memory.dropReference();
            return failure;
        } catch (RuntimeException | Error e) {
            return Steps.join(failure, e);
        }
    }
}
