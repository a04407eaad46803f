// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.Arrays;

/**
 * A queue of pieces, each with its memory, offset and length. The arrays are made with the first
 * piece, grow as needed, and are kept for the next use.
 *
 * <p>The caller counts the references.
 */
final class Pieces {
    /** The longest piece: well inside the 32 bits of a scatter/gather element. */
    static final int MAX_LENGTH = 1 << 30;

    private static final int FIRST_CAPACITY = 4;

    private CountedMemory[] memories = {};
    private long[] starts = {};
    private int[] lengths = {};
    private int head;
    private int count;

    int count() {
        return count;
    }

    /** {@return the memory of a piece} */
    CountedMemory memory(int piece) {
        return memories[slot(piece)];
    }

    /** {@return where in its memory's base segment a piece starts} */
    long start(int piece) {
        return starts[slot(piece)];
    }

    int length(int piece) {
        return lengths[slot(piece)];
    }

    void addLast(CountedMemory memory, long start, int length) {
        if (count == memories.length) {
            grow();
        }
        int slot = head + count++ & memories.length - 1;
        memories[slot] = memory;
        starts[slot] = start;
        lengths[slot] = length;
    }

    void lengthenLast(int bytes) {
        lengths[slot(count - 1)] += bytes;
    }

    void shortenLast(int bytes) {
        lengths[slot(count - 1)] -= bytes;
    }

    void shortenFirst(int bytes) {
        starts[head] += bytes;
        lengths[head] -= bytes;
    }

    void removeFirst() {
        memories[head] = null;
        head = head + 1 & memories.length - 1;
        count--;
    }

    void removeLast() {
        memories[slot(--count)] = null;
    }

    /** {@return whether a piece would continue the last one, so that the two can be merged} */
    boolean continuesLast(CountedMemory memory, long start, int length) {
        if (count == 0) {
            return false;
        }
        int last = slot(count - 1);
        return memories[last] == memory
                && starts[last] + lengths[last] == start
                && length <= MAX_LENGTH - lengths[last];
    }

    private int slot(int piece) {
        return head + piece & memories.length - 1;
    }

    private void grow() {
        int capacity = Math.max(FIRST_CAPACITY, memories.length * 2);
        CountedMemory[] moreMemories = new CountedMemory[capacity];
        long[] moreStarts = new long[capacity];
        int[] moreLengths = new int[capacity];
        int first = memories.length - head;
        System.arraycopy(memories, head, moreMemories, 0, first);
        System.arraycopy(starts, head, moreStarts, 0, first);
        System.arraycopy(lengths, head, moreLengths, 0, first);
        System.arraycopy(memories, 0, moreMemories, first, head);
        System.arraycopy(starts, 0, moreStarts, first, head);
        System.arraycopy(lengths, 0, moreLengths, first, head);
        memories = moreMemories;
        starts = moreStarts;
        lengths = moreLengths;
        head = 0;
    }

    @Override
    public String toString() {
        int[] inOrder = new int[count];
        Arrays.setAll(inOrder, this::length);
        return Arrays.toString(inOrder);
    }
}
