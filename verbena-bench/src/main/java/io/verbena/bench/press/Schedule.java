// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.press;

import java.util.concurrent.locks.LockSupport;

/**
 * When each call of a constant rate is due. The latency of a late call counts from when it was due,
 * not from when it was made: a server that stalls is charged for all calls that it delayed.
 */
final class Schedule {
    /** Sleeping may overshoot by this much, so the end of a wait is spent spinning. */
    private static final long SPIN_NS = 100_000;

    private final long startNs;
    private final double intervalNs;

    /**
     * A schedule.
     *
     * @param startNs when the first call is due
     * @param perSecond calls per second
     */
    Schedule(long startNs, double perSecond) {
        this.startNs = startNs;
        this.intervalNs = 1e9 / perSecond;
    }

    /** {@return when a call is due, counted from 0} */
    long dueNs(long number) {
        return startNs + (long) (number * intervalNs);
    }

    /**
     * Waits until a call is due; returns at once if it is late.
     *
     * @param number the number of the call
     * @throws InterruptedException if the thread was interrupted
     */
    void await(long number) throws InterruptedException {
        long due = dueNs(number);
        for (long left = due - System.nanoTime(); left > 0; left = due - System.nanoTime()) {
            if (left > SPIN_NS) {
                LockSupport.parkNanos(left - SPIN_NS);
            } else {
                Thread.onSpinWait();
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
        }
    }
}
