// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * Walks over the scatter/gather elements of a posted request, and checks each one, when it touches
 * it, against the memory region its key names. Used inside the queue pair's turn.
 */
final class ElementCursor {
    private final DomainMemory memory;
    private final WorkQueue<?> queue;
    private final MemorySlice slice = new MemorySlice();
    private int slot;
    private boolean isWritten;
    private int element;
    private long elementOffset;

    ElementCursor(DomainMemory memory, WorkQueue<?> queue) {
        this.memory = memory;
        this.queue = queue;
    }

    /** Goes to the first byte of a request whose memory will be read. */
    void startReading(int requestSlot) {
        start(requestSlot, false);
    }

    /** Goes to the first byte of a request whose memory will be written to. */
    void startWriting(int requestSlot) {
        start(requestSlot, true);
    }

    private void start(int requestSlot, boolean isWriting) {
        slot = requestSlot;
        isWritten = isWriting;
        element = 0;
        elementOffset = 0;
    }

    /** {@return whether all elements of the request are accessible} */
    boolean isAccessible() {
        for (int i = 0; i < queue.elementCount(slot); i++) {
            if (!resolve(i, 0, queue.elementLength(slot, i))) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether there is a byte under the cursor} */
    boolean hasMore() {
        skipEmpty();
        return element < queue.elementCount(slot);
    }

    /** {@return the key of the memory under the cursor; only if there is more} */
    int key() {
        return queue.elementKey(slot, element);
    }

    /** {@return the address of the byte under the cursor; only if there is more} */
    long address() {
        return queue.elementAddress(slot, element) + elementOffset;
    }

    /** {@return the region of the memory under the cursor, or null if it is gone} */
    SoftMemoryRegion region() {
        return hasMore() ? memory.region(key()) : null;
    }

    /** {@return how many bytes are contiguous under the cursor; only if there is more} */
    int pieceLength(int most) {
        skipEmpty();
        long left = Integer.toUnsignedLong(queue.elementLength(slot, element)) - elementOffset;
        return (int) Math.min(most, left);
    }

    /** Moves on without touching memory; at least that much must be left. */
    void skip(int length) {
        int left = length;
        while (left > 0) {
            int piece = pieceLength(left);
            elementOffset += piece;
            left -= piece;
        }
    }

    /** Copies bytes from under the cursor and moves on; {@return false if memory is gone} */
    boolean read(MemorySegment to, long at, int length) {
        int done = 0;
        while (done < length) {
            int piece = resolvePiece(length - done);
            if (piece == 0
                    || !ByteCopy.tryCopy(slice.memory(), slice.offset(), to, at + done, piece)) {
                return false;
            }
            elementOffset += piece;
            done += piece;
        }
        return true;
    }

    /**
     * Copies bytes to under the cursor and moves on; {@return false if the memory is gone, may not
     * be written, or is too short}
     */
    boolean write(MemorySegment from, long at, int length) {
        int done = 0;
        while (done < length) {
            int piece = resolvePiece(length - done);
            if (piece == 0
                    || !ByteCopy.tryCopy(from, at + done, slice.memory(), slice.offset(), piece)) {
                return false;
            }
            elementOffset += piece;
            done += piece;
        }
        return true;
    }

    /**
     * Finds the memory under the cursor; {@return how much of it is contiguous, 0 if there is none}
     */
    private int resolvePiece(int most) {
        int count = queue.elementCount(slot);
        for (; element < count; element++) {
            long left = Integer.toUnsignedLong(queue.elementLength(slot, element)) - elementOffset;
            if (left > 0) {
                int piece = (int) Math.min(most, left);
                return resolve(element, elementOffset, piece) ? piece : 0;
            }
            elementOffset = 0;
        }
        return 0;
    }

    private void skipEmpty() {
        while (element < queue.elementCount(slot)
                && elementOffset == Integer.toUnsignedLong(queue.elementLength(slot, element))) {
            element++;
            elementOffset = 0;
        }
    }

    private boolean resolve(int index, long from, int length) {
        return memory.resolveLocal(
                queue.elementKey(slot, index),
                queue.elementAddress(slot, index) + from,
                length,
                isWritten,
                slice);
    }
}
