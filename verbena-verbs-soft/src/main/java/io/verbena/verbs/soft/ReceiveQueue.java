// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.ScatterGatherElement;
import io.verbena.verbs.VerbsException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The receives of a queue pair, in the order they were posted. One thread posts; the turn takes; a
 * slot is free again when its completion has been polled.
 */
final class ReceiveQueue {
    private static final int WORDS = 4;
    private static final int ID = 0;
    private static final int COUNT = 1;
    private static final int ROOM = 2;
    private static final VarHandle TAIL;
    private static final VarHandle HEAD;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(ReceiveQueue.class, "tail", long.class);
            HEAD = lookup.findVarHandle(ReceiveQueue.class, "head", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final int mask;
    private final int maxElements;
    private final long[] requests;
    private final long[] elements;
    private long tail;
    private long head;

    ReceiveQueue(int capacity, int maxElements) {
        int slots = Integer.highestOneBit(Math.max(2, capacity) * 2 - 1);
        this.capacity = capacity;
        this.mask = slots - 1;
        this.maxElements = maxElements;
        this.requests = new long[slots * WORDS];
        this.elements = new long[slots * maxElements * 2];
    }

    /**
     * Takes a chain of receives.
     *
     * @return how many were taken before the queue was full
     */
    int append(ReceiveWorkRequest first) {
        int count = 0;
        long next = tail;
        // pairs with the release in remove: slots below are read out
        long taken = (long) HEAD.getAcquire(this);
        try {
            for (ReceiveWorkRequest request = first; ; request = request.next()) {
                if (next - taken >= capacity) {
                    return count;
                }
                write((int) next & mask, request);
                next++;
                count++;
                if (!request.hasNext()) {
                    return count;
                }
            }
        } finally {
            // publishes the entries to the turn
            TAIL.setRelease(this, next);
        }
    }

    private void write(int slot, ReceiveWorkRequest request) {
        int count = request.elementCount();
        if (count > maxElements) {
            throw new VerbsException(
                    "ibv_post_recv",
                    Errno.EINVAL,
                    "elementCount: " + count + " (expected: 0.." + maxElements + ")");
        }
        int at = slot * WORDS;
        requests[at + ID] = request.id();
        requests[at + COUNT] = count;
        requests[at + ROOM] = copyElements(slot * maxElements * 2, request, count);
    }

    private long copyElements(int first, ReceiveWorkRequest request, int count) {
        long room = 0;
        int at = first;
        for (int i = 0; i < count; i++) {
            ScatterGatherElement element = request.element(i);
            long lengthAndKey = element.lengthAndKey();
            elements[at++] = element.address();
            elements[at++] = lengthAndKey;
            room += lengthAndKey & 0xFFFF_FFFFL;
        }
        return room;
    }

    /** {@return whether no receive is posted} Pairs with the release in {@link #append}. */
    boolean isEmpty() {
        return head == (long) TAIL.getAcquire(this);
    }

    /** {@return the index of the oldest receive; counts receives since the start, never wraps} */
    long head() {
        return head;
    }

    /** {@return the slot of the oldest receive; only if there is one} */
    int headSlot() {
        return (int) head & mask;
    }

    /** Takes the oldest receive off; the caller has read what it needs of it. */
    void remove() {
        HEAD.setRelease(this, head + 1);
    }

    /**
     * Forgets everything; only when nobody posts. Indices go on: a poll that is under way may still
     * free what was posted before, and that must not free anything again.
     */
    void reset() {
        HEAD.setRelease(this, (long) TAIL.getAcquire(this));
    }

    long id(int slot) {
        return requests[slot * WORDS + ID];
    }

    int elementCount(int slot) {
        return (int) requests[slot * WORDS + COUNT];
    }

    long elementAddress(int slot, int element) {
        return elements[(slot * maxElements + element) * 2];
    }

    int elementLength(int slot, int element) {
        return (int) elements[(slot * maxElements + element) * 2 + 1];
    }

    int elementKey(int slot, int element) {
        return (int) (elements[(slot * maxElements + element) * 2 + 1] >>> 32);
    }

    /** {@return how many bytes the receive has room for} */
    long room(int slot) {
        return requests[slot * WORDS + ROOM];
    }
}
