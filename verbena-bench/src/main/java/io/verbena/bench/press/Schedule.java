// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.press;

import java.util.concurrent.locks.LockSupport;

/**
 * When each call of a constant rate is due. The latency of a late call counts from when it was due,
 * not from when it was made: a server that stalls is charged for all calls that it held up.
 */
final class Schedule {
    /** Sleep may overshoot by this much, so the rest of a wait is spun. */
    private static final long SPIN_NS = 100_000;

    private final long startNs;
    private final double intervalNs;

    /**
     * A schedule.
     *
     * @param startNs when the first call is due
     * @param perSecond how many calls there are in a second
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
