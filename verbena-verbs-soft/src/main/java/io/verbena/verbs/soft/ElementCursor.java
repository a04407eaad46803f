// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * Walks over the scatter/gather elements of a send request, checking each against the memory region
 * its key names. Used inside the queue pair's turn.
 */
final class ElementCursor {
    private final DomainMemory memory;
    private final MemorySlice slice = new MemorySlice();
    private SendQueue queue;
    private int slot;
    private boolean isWrite;
    private int element;
    private int elementOffset;
    private int describedId;
    private long describedOffset;

    ElementCursor(DomainMemory memory) {
        this.memory = memory;
    }

    /** Goes to the first byte of a request; {@return whether all its elements are accessible} */
    boolean start(SendQueue sendQueue, int sendSlot, boolean write) {
        queue = sendQueue;
        slot = sendSlot;
        isWrite = write;
        element = 0;
        elementOffset = 0;
        for (int i = 0; i < queue.elementCount(slot); i++) {
            if (!resolve(i, 0, queue.elementLength(slot, i))) {
                return false;
            }
        }
        return true;
    }

    /** {@return whether the peer can reach the memory under the cursor by itself} */
    boolean isDescribable(Peer peer) {
        skipEmpty();
        if (element >= queue.elementCount(slot)) {
            return true;
        }
        if (peer.isLocal()) {
            return true;
        }
        SoftMemoryRegion region = memory.region(queue.elementKey(slot, element));
        return region != null && region.isShared();
    }

    /** Describes up to a number of bytes under the cursor and moves on; {@return how many} */
    int describe(Peer peer, int most) {
        skipEmpty();
        int key = queue.elementKey(slot, element);
        long address = queue.elementAddress(slot, element) + elementOffset;
        if (peer.isLocal()) {
            describedId = key;
            describedOffset = address;
        } else {
            SoftMemoryRegion region = memory.region(key);
            describedId = region.segment();
            describedOffset = region.segmentOffset(address);
        }
        int piece = Math.min(most, queue.elementLength(slot, element) - elementOffset);
        elementOffset += piece;
        return piece;
    }

    int describedId() {
        return describedId;
    }

    long describedOffset() {
        return describedOffset;
    }

    /** Copies bytes from under the cursor and moves on; {@return false if memory is gone} */
    boolean read(MemorySegment to, long at, int length) {
        return walk(to, at, length, false);
    }

    /** Moves on without touching memory. */
    boolean skip(int length) {
        int left = length;
        while (left > 0) {
            skipEmpty();
            int piece = Math.min(left, queue.elementLength(slot, element) - elementOffset);
            elementOffset += piece;
            left -= piece;
        }
        return true;
    }

    /** Copies bytes to under the cursor and moves on; {@return false if memory is gone} */
    boolean write(MemorySegment from, long at, int length) {
        return walk(from, at, length, true);
    }

    private boolean walk(MemorySegment other, long at, int length, boolean toElements) {
        int done = 0;
        while (done < length) {
            skipEmpty();
            if (element >= queue.elementCount(slot)) {
                return false;
            }
            int piece = Math.min(length - done, queue.elementLength(slot, element) - elementOffset);
            boolean isMoved =
                    resolve(element, elementOffset, piece)
                            && (toElements
                                    ? ByteCopy.tryCopy(
                                            other, at + done, slice.memory(), slice.offset(), piece)
                                    : ByteCopy.tryCopy(
                                            slice.memory(),
                                            slice.offset(),
                                            other,
                                            at + done,
                                            piece));
            if (!isMoved) {
                return false;
            }
            elementOffset += piece;
            done += piece;
        }
        return true;
    }

    private void skipEmpty() {
        while (element < queue.elementCount(slot)
                && elementOffset == queue.elementLength(slot, element)) {
            element++;
            elementOffset = 0;
        }
    }

    private boolean resolve(int index, int from, int length) {
        return memory.resolveLocal(
                queue.elementKey(slot, index),
                queue.elementAddress(slot, index) + from,
                length,
                isWrite,
                slice);
    }
}
