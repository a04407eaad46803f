// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.CompletionQueue;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The completion queues that had an event, in order. Each has a {@link Place} that was made with
 * it, so adding an event takes no memory: whoever sleeps until it comes would sleep for ever. Any
 * thread.
 */
final class CompletionEvents {
    /** The place of a completion queue. Guarded by the lock of the events. */
    static final class Place {
        private final SoftCompletionQueue queue;

        /** Made in advance: an event that was taken must reach its user. */
        private final Optional<CompletionQueue> taken;

        private Place next;
        private int events;

        /**
         * A place without events.
         *
         * @param queue whose, or null if no event is ever taken
         */
        Place(SoftCompletionQueue queue) {
            this.queue = queue;
            this.taken = Optional.ofNullable(queue);
        }
    }

    static {
        rehearse();
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The places that have events, linked; null if there are none. */
    private Place first;

    private Place last;
    private boolean isClosed;

    /** Adds an event once: what the JVM sees for the first time takes memory. */
    private static void rehearse() {
        CompletionEvents events = new CompletionEvents();
        Place place = new Place(null);
        events.add(place);
        events.remove(place);
    }

    /** Adds an event. It is dropped if this is closed: nobody can take it. */
    void add(Place place) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            if (place.events++ == 0) {
                append(place);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void append(Place place) {
        place.next = null;
        if (first == null) {
            first = place;
        } else {
            last.next = place;
        }
        last = place;
    }

    /**
     * {@return the completion queue of the oldest event, waiting for one}
     *
     * @throws InterruptedException if the thread was interrupted
     */
    SoftCompletionQueue take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isEmpty()) {
                changed.await();
            }
            return takeFirst().queue;
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the completion queue of the oldest event, or empty if none came in time}
     *
     * @param nanos how long to wait; zero or less polls
     * @throws InterruptedException if the thread was interrupted
     */
    Optional<CompletionQueue> take(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (isEmpty()) {
                if (left <= 0) {
                    return Optional.empty();
                }
                left = changed.awaitNanos(left);
            }
            return takeFirst().taken;
        } finally {
            lock.unlock();
        }
    }

    private boolean isEmpty() {
        if (isClosed) {
            throw new IllegalStateException("completion channel is closed");
        }
        return first == null;
    }

    private Place takeFirst() {
        Place place = first;
        first = place.next;
        place.events--;
        if (place.events > 0) {
            append(place);
        }
        place.queue.eventTaken();
        return place;
    }

    /** Drops the events of a completion queue. */
    void remove(Place place) {
        lock.lock();
        try {
            if (place.events > 0) {
                place.events = 0;
                unlink(place);
            }
        } finally {
            lock.unlock();
        }
    }

    private void unlink(Place place) {
        Place before = null;
        for (Place each = first; each != place; each = each.next) {
            before = each;
        }
        if (before == null) {
            first = place.next;
        } else {
            before.next = place.next;
        }
        if (last == place) {
            last = before;
        }
    }

    boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the events and wakes the waiting threads. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
