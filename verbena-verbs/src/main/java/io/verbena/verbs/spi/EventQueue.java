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
 * waiting threads with an {@link IllegalStateException} that names what was closed. Nothing else is
 * called while its lock is held.
 *
 * @param <E> the type of an event
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
     * @param name the owner's name, for messages
     */
    public EventQueue(String name) {
        this.name = name;
    }

    /**
     * Adds an event at the end. Once the queue is closed the event is dropped, because nobody can
     * take it.
     *
     * @param event what happened
     */
    public void add(E event) {
        add(List.of(event));
    }

    /**
     * Adds events at the end. Once the queue is closed they are dropped, because nobody can take
     * them.
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
     * {@return the events that match, in order, after removing them from the queue}
     *
     * @param matches selects the events
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
     * {@return the oldest event, or empty if none came in time}
     *
     * @param nanos how long to wait; zero or less polls
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

    /** Drops the events and wakes the waiting threads. */
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
