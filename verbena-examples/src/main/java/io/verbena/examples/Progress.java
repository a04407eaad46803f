// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.EventChannel;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The progress of one connection: how much is posted and not yet completed, and the first thing
 * that went wrong. The poller and the event thread share it.
 */
final class Progress {
    /** How often a program that waits for an event checks the progress of its connections. */
    static final Duration TICK = Duration.ofMillis(200);

    /**
     * Long enough for an emulated machine, where code that runs for the first time takes seconds.
     */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static final Duration DISCONNECT_LIMIT = Duration.ofSeconds(1);
    private static final Duration FLUSH_LIMIT = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition idle = lock.newCondition();
    private long deadlineNs = System.nanoTime() + LIMIT.toNanos();
    private int outstanding;
    private boolean isFlushed;
    private Optional<RuntimeException> failure = Optional.empty();

    /** The connection's time starts now, rather than when this was made. */
    void begin() {
        lock.lock();
        try {
            deadlineNs = System.nanoTime() + LIMIT.toNanos();
        } finally {
            lock.unlock();
        }
    }

    /** One more work request is about to be posted. */
    void posting() {
        lock.lock();
        try {
            outstanding++;
        } finally {
            lock.unlock();
        }
    }

    /** A completion has been handled, down to the last line printed for it. */
    void completed() {
        lock.lock();
        try {
            outstanding--;
            idle.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Something went wrong. Only the first is kept; the connection should be ended now.
     *
     * @param reason what it was
     */
    void fail(RuntimeException reason) {
        lock.lock();
        try {
            if (failure.isEmpty()) {
                failure = Optional.of(reason);
                deadlineNs = System.nanoTime() + DISCONNECT_LIMIT.toNanos();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * A request was flushed: the connection has ended, and a disconnect should follow soon. If each
     * side has refused a request of the other, neither learns why, and none follows.
     */
    void flushed() {
        lock.lock();
        try {
            if (!isFlushed) {
                isFlushed = true;
                long limit = System.nanoTime() + DISCONNECT_LIMIT.toNanos();
                deadlineNs = Math.min(deadlineNs - limit, 0) + limit;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Throws the failure passed to {@link #fail}, if there was one. */
    void throwIfFailed() {
        lock.lock();
        try {
            if (failure.isPresent()) {
                throw failure.get();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * {@return the next event of the only connection of a program}
     *
     * @param channel where its events arrive
     * @throws ExampleException if this connection's time is over
     * @throws InterruptedException if the thread was interrupted
     */
    ConnectionEvent awaitEvent(EventChannel channel) throws InterruptedException {
        while (true) {
            Optional<ConnectionEvent> event = channel.awaitEvent(TICK);
            if (event.isPresent()) {
                return event.get();
            }
            Optional<RuntimeException> reason = overdue();
            if (reason.isPresent()) {
                throw reason.get();
            }
        }
    }

    /** {@return why to stop waiting, once the time of this connection is over} */
    Optional<RuntimeException> overdue() {
        lock.lock();
        try {
            if (System.nanoTime() - deadlineNs < 0) {
                return Optional.empty();
            }
            return Optional.of(failure.orElseGet(isFlushed ? Progress::broken : Progress::tooLate));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until everything posted has completed: after a disconnect the device flushes what is
     * left, and until then it owns the buffers.
     *
     * @throws InterruptedException if the thread was interrupted
     */
    void awaitIdle() throws InterruptedException {
        long left = FLUSH_LIMIT.toNanos();
        lock.lock();
        try {
            while (outstanding > 0 && left > 0) {
                left = idle.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    private static ExampleException broken() {
        return new ExampleException(
                "the connection broke; did each side refuse what the other wanted, because they"
                        + " run in different modes?");
    }

    private static ExampleException tooLate() {
        return new ExampleException("the peer did not finish within " + LIMIT.toSeconds() + " s");
    }
}
