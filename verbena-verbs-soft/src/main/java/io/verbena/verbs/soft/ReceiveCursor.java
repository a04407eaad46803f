// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/** Walks over the elements of a posted receive while a message is placed. Used inside the turn. */
final class ReceiveCursor {
    private final DomainMemory memory;
    private final ReceiveQueue receives;
    private final MemorySlice slice = new MemorySlice();
    private int slot;
    private int element;
    private long elementOffset;

    ReceiveCursor(DomainMemory memory, ReceiveQueue receives) {
        this.memory = memory;
        this.receives = receives;
    }

    void start(int receiveSlot) {
        slot = receiveSlot;
        element = 0;
        elementOffset = 0;
    }

    /**
     * Places bytes and moves on; {@return false if the memory may not be written or is too short}
     */
    boolean place(MemorySegment from, long at, int length) {
        int done = 0;
        while (done < length) {
            if (element >= receives.elementCount(slot)) {
                return false;
            }
            long left =
                    Integer.toUnsignedLong(receives.elementLength(slot, element)) - elementOffset;
            int piece = (int) Math.min(length - done, left);
            if (!memory.resolveLocal(
                            receives.elementKey(slot, element),
                            receives.elementAddress(slot, element) + elementOffset,
                            piece,
                            true,
                            slice)
                    || !ByteCopy.tryCopy(from, at + done, slice.memory(), slice.offset(), piece)) {
                return false;
            }
            done += piece;
            elementOffset += piece;
            if (piece == left) {
                element++;
                elementOffset = 0;
            }
        }
        return true;
    }
}
