// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Keeps retries and backup requests of a channel in proportion to its calls: when many servers fail
 * at once, tries that cannot help must not multiply the load of the others. What calls without
 * retries have saved up is a reserve, as large as the same share of the channel's calls in the last
 * seconds, so that the load stays in proportion while the reserve is spent.
 *
 * <p>Threads: any. A call only counts; what it has saved up is added when a retry asks for it,
 * under a lock that is not on the path of a call.
 */
final class RetryBudget {
    /** How many retries are in reserve at the beginning, and for a channel with few calls. */
    static final int LEAST_RESERVE = 10;

    /** How many retries are in reserve at most. */
    static final int MOST_RESERVE = 500;

    /** Calls of this interval and of the one before it are recent. */
    static final int INTERVAL_SECONDS = 5;

    private static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

    /** What a retry costs; a call deposits the percentage. */
    private static final int COST = 100;

    private final int percent;
    private final LongSupplier clock;

    /** A counter of stripes: calls of several processors write to different places. */
    private final LongAdder calls = new LongAdder();

    private volatile long intervalStartNs;

    /** How many calls there were before the interval that began last. Guarded by this. */
    private long callsBefore;

    /** How many calls there were in the interval before that. Guarded by this. */
    private long callsOfLast;

    /** How many calls have been added to the balance. Guarded by this. */
    private long callsSaved;

    /** Guarded by this. */
    private long balance = (long) LEAST_RESERVE * COST;

    /** With a negative percentage it is never used up. */
    RetryBudget(int percent) {
        this(percent, System::nanoTime);
    }

    RetryBudget(int percent, LongSupplier clock) {
        this.percent = percent;
        this.clock = clock;
        this.intervalStartNs = clock.getAsLong();
    }

    /**
     * A call begins.
     *
     * @param nowNs when, in terms of {@link System#nanoTime}: whoever makes a call knows
     */
    void deposit(long nowNs) {
        if (percent <= 0) {
            return;
        }
        calls.increment();
        if (nowNs - intervalStartNs >= INTERVAL_NS) {
            beginInterval(nowNs);
        }
    }

    /** {@return whether another try is within the budget, which it then has used} */
    boolean tryTake() {
        if (percent < 0) {
            return true;
        }
        long nowNs = clock.getAsLong();
        synchronized (this) {
            beginInterval(nowNs);
            long sum = calls.sum();
            balance = Math.min(balance + percent * (sum - callsSaved), reserve(sum));
            callsSaved = sum;
            if (balance < COST) {
                return false;
            }
            balance -= COST;
            return true;
        }
    }

    private synchronized void beginInterval(long nowNs) {
        long ageNs = nowNs - intervalStartNs;
        if (ageNs < INTERVAL_NS) {
            return;
        }
        long sum = calls.sum();
        // after a pause, none of the calls before it is recent
        callsOfLast = ageNs < 2 * INTERVAL_NS ? sum - callsBefore : 0;
        callsBefore = sum;
        intervalStartNs = nowNs;
    }

    /** {@return the largest balance now} */
    private long reserve(long sum) {
        long recent = sum - callsBefore + callsOfLast;
        return Math.clamp(
                percent * recent, (long) LEAST_RESERVE * COST, (long) MOST_RESERVE * COST);
    }
}
