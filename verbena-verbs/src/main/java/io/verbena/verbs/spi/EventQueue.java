// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.spi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;

/**
 * Events in the order they happened. Any thread, virtual or not, may add and wait. Closing wakes
 * who waits with an {@link IllegalStateException} that names what was closed. Nothing else is
 * called with its lock held.
 *
 * @param <E> what an event is
 */
public final class EventQueue<E> {
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<E> events = new ArrayDeque<>();
    private boolean isClosed;

    /**
     * An empty queue.
     *
     * @param name whose it is, for messages
     */
    public EventQueue(String name) {
        this.name = name;
    }

    /**
     * Adds an event at the end; once closed it is dropped, as nobody can take it.
     *
     * @param event what happened
     */
    public void add(E event) {
        add(List.of(event));
    }

    /**
     * Adds events at the end; once closed they are dropped, as nobody can take them.
     *
     * @param added what happened, oldest first
     */
    public void add(List<E> added) {
        lock.lock();
        try {
            if (!isClosed && !added.isEmpty()) {
                events.addAll(added);
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the events that match, in their order; they are no longer in the queue}
     *
     * @param matches says which
     */
    public List<E> remove(Predicate<E> matches) {
        lock.lock();
        try {
            List<E> removed = new ArrayList<>();
            events.removeIf(event -> matches.test(event) && removed.add(event));
            return removed;
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the oldest event, waiting for one}
     *
     * @throws InterruptedException if the thread was interrupted
     */
    public E take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isEmpty()) {
                changed.await();
            }
            return events.remove();
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the oldest event, or nothing if none came in time}
     *
     * @param nanos how long to wait; at most 0 polls
     * @throws InterruptedException if the thread was interrupted
     */
    public Optional<E> take(long nanos) throws InterruptedException {
        long left = nanos;
        lock.lockInterruptibly();
        try {
            while (isEmpty() && left > 0) {
                left = changed.awaitNanos(left);
            }
            return Optional.ofNullable(events.poll());
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether it was closed} */
    public boolean isClosed() {
        lock.lock();
        try {
            return isClosed;
        } finally {
            lock.unlock();
        }
    }

    /** Drops what waits and wakes who waits. */
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            events.clear();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isEmpty() {
        if (isClosed) {
            throw new IllegalStateException(name + " is closed");
        }
        return events.isEmpty();
    }
}
