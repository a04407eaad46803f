// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ScatterGatherElement;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The common part of a queue pair's send queue and receive queue: requests with their
 * scatter/gather elements, in the order they were posted.
 *
 * <p>One thread posts; the turn reads. An index counts requests from the start and never wraps; its
 * slot is where the request is stored. A slot can be reused once {@code freed} has passed its
 * index; each kind of queue decides who moves {@code freed}.
 *
 * @param <R> the work request
 */
abstract class WorkQueue<R> {
    private static final int ELEMENT_WORDS = 2;
    private static final long LOW = 0xFFFF_FFFFL;
    private static final VarHandle TAIL;
    private static final VarHandle FREED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(WorkQueue.class, "tail", long.class);
            FREED = lookup.findVarHandle(WorkQueue.class, "freed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final String verb;
    private final int capacity;
    private final int mask;
    private final int maxElements;
    private final int slotWords;
    private final int[] counts;
    private final long[] elements;
    private long tail;
    private long freed;

    /**
     * @param verb the verb that posts to the queue, for messages
     * @param slotBytes how much a slot holds at least, if its elements need less
     */
    WorkQueue(String verb, int capacity, int maxElements, int slotBytes) {
        int slots = Integer.highestOneBit(Math.max(2, capacity) * 2 - 1);
        this.verb = verb;
        this.capacity = capacity;
        this.mask = slots - 1;
        this.maxElements = maxElements;
        int bytesInWords = (slotBytes + Long.BYTES - 1) / Long.BYTES;
        this.slotWords = Math.max(maxElements * ELEMENT_WORDS, bytesInWords);
        this.counts = new int[slots];
        this.elements = new long[slots * slotWords];
    }

    /** {@return how many slots there are, a power of two and at least the capacity} */
    final int slots() {
        return mask + 1;
    }

    /**
     * Takes a chain of requests.
     *
     * @return how many were taken before the queue was full
     */
    final int append(R first) {
        int count = 0;
        long next = tail;
        try {
            for (R request = first; next - freedAcquire() < capacity; request = next(request)) {
                write((int) next & mask, request);
                next++;
                count++;
                if (!hasNext(request)) {
                    break;
                }
            }
            return count;
        } finally {
            // publishes the entries to the turn
            TAIL.setRelease(this, next);
        }
    }

    /** Copies a request into a slot. */
    abstract void write(int slot, R request);

    abstract boolean hasNext(R request);

    abstract R next(R request);

    /** Makes room for the elements of a request. */
    final void elementCount(int slot, int count) {
        if (count > maxElements) {
            throw malformed("elementCount", Integer.toString(count), "0.." + maxElements);
        }
        counts[slot] = count;
    }

    /** Copies an element; {@return its length} */
    final long element(int slot, int index, ScatterGatherElement element) {
        int at = at(slot, index);
        long lengthAndKey = element.lengthAndKey();
        elements[at] = element.address();
        elements[at + 1] = lengthAndKey;
        return lengthAndKey & LOW;
    }

    /** {@return the memory of all slots, for what is stored in place of elements} */
    final MemorySegment slotMemory() {
        return MemorySegment.ofArray(elements);
    }

    final long slotOffset(int slot) {
        return (long) slot * slotWords * Long.BYTES;
    }

    final VerbsException malformed(String name, String value, String expected) {
        return new VerbsException(
                verb, Errno.EINVAL, name + ": " + value + " (expected: " + expected + ")");
    }

    /** Pairs with the release in {@link #append}: entries below the result are readable. */
    final long tailAcquire() {
        return (long) TAIL.getAcquire(this);
    }

    /** {@return the index below which slots can be reused} For the one thread that moves it. */
    final long freedPlain() {
        return freed;
    }

    final long freedAcquire() {
        return (long) FREED.getAcquire(this);
    }

    /** Gives back the slots below an index, after they were read. */
    final void freedRelease(long index) {
        FREED.setRelease(this, index);
    }

    /**
     * {@return whether this call gave back the slots below an index; false if another thread
     * changed it}
     */
    final boolean compareAndSetFreed(long expected, long index) {
        return FREED.compareAndSet(this, expected, index);
    }

    final int slot(long index) {
        return (int) index & mask;
    }

    final int elementCount(int slot) {
        return counts[slot];
    }

    final long elementAddress(int slot, int index) {
        return elements[at(slot, index)];
    }

    /** {@return the length of an element, which is unsigned} */
    final int elementLength(int slot, int index) {
        return (int) elements[at(slot, index) + 1];
    }

    final int elementKey(int slot, int index) {
        return (int) (elements[at(slot, index) + 1] >>> 32);
    }

    private int at(int slot, int index) {
        return slot * slotWords + index * ELEMENT_WORDS;
    }
}
