// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.ReceiveWorkRequest;

/**
 * The receives of a queue pair. The turn takes them in order, and a slot is free again as soon as
 * its receive is taken: by then the completion holds everything that is still needed.
 */
final class ReceiveQueue extends WorkQueue<ReceiveWorkRequest> {
    private static final int WORDS = 2;
    private static final int ID = 0;
    private static final int ROOM = 1;

    private final long[] requests;

    ReceiveQueue(int capacity, int maxElements) {
        super("ibv_post_recv", capacity, maxElements, 0);
        this.requests = new long[slots() * WORDS];
    }

    @Override
    boolean hasNext(ReceiveWorkRequest request) {
        return request.hasNext();
    }

    @Override
    ReceiveWorkRequest next(ReceiveWorkRequest request) {
        return request.next();
    }

    @Override
    void write(int slot, ReceiveWorkRequest request) {
        int count = request.elementCount();
        elementCount(slot, count);
        long room = 0;
        for (int i = 0; i < count; i++) {
            room += element(slot, i, request.element(i));
        }
        requests[slot * WORDS + ID] = request.id();
        requests[slot * WORDS + ROOM] = room;
    }

    /** {@return whether no receive is posted} Pairs with the release in {@link #append}. */
    boolean isEmpty() {
        return freedPlain() == tailAcquire();
    }

    /** {@return the slot of the oldest receive; only if there is one} */
    int headSlot() {
        return slot(freedPlain());
    }

    /** Removes the oldest receive; the caller has read what it needs from it. */
    void remove() {
        freedRelease(freedPlain() + 1);
    }

    /** Forgets everything; only when nobody posts. Indices keep counting. */
    void reset() {
        freedRelease(tailAcquire());
    }

    long id(int slot) {
        return requests[slot * WORDS + ID];
    }

    /** {@return how many bytes the receive has room for} */
    long room(int slot) {
        return requests[slot * WORDS + ROOM];
    }
}
