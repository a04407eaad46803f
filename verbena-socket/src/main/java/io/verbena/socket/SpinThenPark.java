// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Where one thread at a time waits for a connection: it first polls for a while, then parks until
 * it is notified of a change.
 */
final class SpinThenPark {
    /** No deadline. */
    static final long FOREVER = Long.MAX_VALUE;

    /**
     * How long a polling thread keeps its processor to itself. A peer that is running answers
     * within this time; one that is not may be waiting for this very processor.
     */
    private static final long POLITE_AFTER_NS = 10_000;

    private volatile Thread thread;

    /** {@return the point in time that is this far ahead} */
    static long deadline(long timeoutNs) {
        long now = System.nanoTime();
        // far enough ahead never to be reached, and near enough that no difference overflows
        return now + Math.min(timeoutNs, FOREVER >> 2);
    }

    /**
     * Waits until a condition holds.
     *
     * @param loop the loop that makes it true
     * @param condition checked by this thread only
     * @param deadlineNs see {@link #deadline}, or {@link #FOREVER}
     * @throws SocketTimeoutException if it does not hold in time
     * @throws InterruptedIOException if the thread is interrupted; its interrupt status stays set
     */
    void await(EventLoop loop, BooleanSupplier condition, long deadlineNs)
            throws InterruptedIOException {
        loop.onWait();
        try {
            if (!spin(loop, condition)) {
                park(loop, condition, deadlineNs);
            }
        } finally {
            loop.onWaitEnd();
        }
    }

    private static boolean spin(EventLoop loop, BooleanSupplier condition) {
        long start = System.nanoTime();
        long elapsed = 0;
        do {
            loop.drive();
            if (condition.getAsBoolean()) {
                return true;
            }
            if (elapsed > POLITE_AFTER_NS) {
                Thread.yield();
            }
            elapsed = System.nanoTime() - start;
        } while (elapsed < loop.spinNs());
        return false;
    }

    private void park(EventLoop loop, BooleanSupplier condition, long deadlineNs)
            throws InterruptedIOException {
        thread = Thread.currentThread();
        loop.onPark();
        try {
            while (!condition.getAsBoolean()) {
                if (deadlineNs == FOREVER) {
                    LockSupport.park(this);
                } else {
                    parkUntil(deadlineNs);
                }
                if (Thread.currentThread().isInterrupted()) {
                    throw new InterruptedIOException("interrupted while waiting for the peer");
                }
            }
        } finally {
            loop.onParkEnd();
            thread = null;
        }
    }

    private void parkUntil(long deadlineNs) throws SocketTimeoutException {
        long left = deadlineNs - System.nanoTime();
        if (left <= 0) {
            throw new SocketTimeoutException("the peer did not answer in time");
        }
        LockSupport.parkNanos(this, left);
    }

    /** Something changed. The caller has a full fence between the change and this call. */
    void signal() {
        Thread waiting = thread;
        if (waiting != null) {
            LockSupport.unpark(waiting);
        }
    }
}
