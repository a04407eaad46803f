// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;

/**
 * Keeps retries and backup requests of a channel in proportion to its calls: when many servers fail
 * at once, tries that cannot help must not multiply the load of the others. What calls without
 * retries have saved up is a reserve, as large as the same share of the channel's calls in the last
 * seconds, so that the load stays in proportion while the reserve is spent. Any thread.
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

    /** One of so many calls looks at the clock. */
    private static final int CALLS_PER_LOOK = 16;

    private final int percent;
    private final LongSupplier clock;
    private final AtomicLong balance = new AtomicLong((long) LEAST_RESERVE * COST);
    private final LongAdder calls = new LongAdder();
    private final AtomicLong intervalStartNs;

    /** How many calls there were before the interval that began last. */
    private volatile long callsBefore;

    /** How many calls there were in the interval before that. */
    private volatile long callsOfLast;

    /** The largest balance now. */
    private volatile long full = (long) LEAST_RESERVE * COST;

    /** With a negative percentage it is never used up. */
    RetryBudget(int percent) {
        this(percent, System::nanoTime);
    }

    RetryBudget(int percent, LongSupplier clock) {
        this.percent = percent;
        this.clock = clock;
        this.intervalStartNs = new AtomicLong(clock.getAsLong());
    }

    /** A call begins. */
    void deposit() {
        if (percent <= 0) {
            return;
        }
        // a counter of stripes: calls of several processors write to different places
        calls.increment();
        if (ThreadLocalRandom.current().nextInt(CALLS_PER_LOOK) == 0) {
            look();
        }
        if (balance.get() < full) {
            balance.addAndGet(percent);
        }
    }

    /** {@return whether another try is within the budget, which it then has used} */
    boolean tryTake() {
        if (percent < 0) {
            return true;
        }
        look();
        long now = balance.updateAndGet(saved -> Math.min(saved, full));
        if (now < COST) {
            return false;
        }
        if (balance.addAndGet(-COST) < 0) {
            balance.addAndGet(COST);
            return false;
        }
        return true;
    }

    /** Finds out how many calls are recent. */
    private void look() {
        long nowNs = clock.getAsLong();
        long startNs = intervalStartNs.get();
        long sum = calls.sum();
        long ageNs = nowNs - startNs;
        if (ageNs >= INTERVAL_NS && intervalStartNs.compareAndSet(startNs, nowNs)) {
            // after a pause, none of the calls before it is recent
            callsOfLast = ageNs < 2 * INTERVAL_NS ? sum - callsBefore : 0;
            callsBefore = sum;
        }
        long recent = sum - callsBefore + callsOfLast;
        full =
                Math.clamp(
                        percent * recent, (long) LEAST_RESERVE * COST, (long) MOST_RESERVE * COST);
    }
}
