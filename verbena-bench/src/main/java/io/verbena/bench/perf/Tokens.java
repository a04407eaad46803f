// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Limits calls to a number per second. As in brpc's program, there are 10,000 tokens at the start,
 * and more every 100 ms. Any thread may take; one refills.
 */
final class Tokens {
    /** How often to call {@link #refill}. */
    static final long REFILL_NS = 100_000_000;

    private static final long INITIAL = 10_000;
    private static final long WAIT_NS = 10_000;

    private final int perSecond;
    private final long startNs;
    private final AtomicLong left = new AtomicLong(INITIAL);
    private long given = INITIAL;

    /**
     * Tokens for a run that starts now.
     *
     * @param perSecond how many calls; 0 means no limit
     * @param nowNs the time
     */
    Tokens(int perSecond, long nowNs) {
        this.perSecond = perSecond;
        this.startNs = nowNs;
    }

    /** Waits for a token. */
    void take() {
        if (perSecond == 0) {
            return;
        }
        while (left.get() <= 0) {
            LockSupport.parkNanos(WAIT_NS);
        }
        left.decrementAndGet();
    }

    /**
     * Adds the tokens that are due.
     *
     * @param nowNs the time
     */
    void refill(long nowNs) {
        long due = (long) ((double) perSecond * (nowNs - startNs) / 1e9);
        if (due > given) {
            left.addAndGet(due - given);
            given = due;
        }
    }
}
