// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.VerbsException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A non-blocking file descriptor that threads wait on. Any number may wait; each then tries to read
 * and waits again if another was faster.
 *
 * <p>A reader loops: read; if there was nothing, {@link #awaitReadable}; read again. No event is
 * lost between the two, because the descriptor is armed after the failed read, and arming checks
 * the descriptor in the kernel: if something arrived in between, the report comes at once.
 *
 * <p>{@code isArmed} says that the kernel owes us one report. It is set, together with arming in
 * the kernel, and cleared under the lock, and a waiter holds the lock from there until it is parked
 * on the condition: the report cannot slip in between. A waiter that finds it armed need not arm
 * again. Either the report is still to come, or it is on its way for something that another reader
 * has taken since; then this waiter wakes in vain, fails to read, and arms itself. A waiter that
 * gives up leaves it armed, which costs one useless report.
 */
final class WatchedDescriptor implements DescriptorWatcher.Handler, AutoCloseable {
    /** A deadline that never comes. */
    static final long FOR_EVER = Long.MAX_VALUE;

    private static final long CENTURY_NS = TimeUnit.DAYS.toNanos(36_500);

    private final DescriptorWatcher watcher;
    private final int descriptor;
    private final long key;
    private final String name;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition reported = lock.newCondition();
    private boolean isArmed;
    private boolean isClosed;

    WatchedDescriptor(DescriptorWatcher watcher, int descriptor, long key, String name) {
        this.watcher = watcher;
        this.descriptor = descriptor;
        this.key = key;
        this.name = name;
    }

    /**
     * {@return the deadline for {@link #awaitReadable} that is a given time from now}
     *
     * @param nanos how long; {@link Long#MAX_VALUE} means forever
     */
    static long deadline(long nanos) {
        return nanos == Long.MAX_VALUE ? FOR_EVER : System.nanoTime() + Math.max(nanos, 0);
    }

    /**
     * Waits until there may be something to read.
     *
     * @param deadlineNs from {@link #deadline}
     * @return whether to try; false if the time is over
     * @throws InterruptedException if the thread was interrupted
     * @throws IllegalStateException if it is closed, even while waiting
     */
    boolean awaitReadable(long deadlineNs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            checkOpen();
            long left = left(deadlineNs);
            if (left <= 0) {
                return false;
            }
            if (!isArmed) {
                watcher.arm(descriptor, key);
                isArmed = true;
            }
            while (isArmed && left > 0) {
                left = reported.awaitNanos(left);
                checkOpen();
            }
            return !isArmed;
        } finally {
            lock.unlock();
        }
    }

    private static long left(long deadlineNs) {
        return deadlineNs == FOR_EVER ? CENTURY_NS : deadlineNs - System.nanoTime();
    }

    @Override
    public void onReadable() {
        lock.lock();
        try {
            isArmed = false;
            reported.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Nobody would wake those who wait. */
    @Override
    public void onFailure(VerbsException cause) {
        close();
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException(name + " is closed");
        }
    }

    /** Wakes the waiters; the descriptor itself may be closed afterwards. */
    @Override
    public void close() {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            isClosed = true;
            reported.signalAll();
            watcher.forget(descriptor, key);
        } finally {
            lock.unlock();
        }
    }
}
