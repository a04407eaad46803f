// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps retries and backup requests of a channel in proportion to its calls: when many servers fail
 * at once, tries that cannot help must not multiply the load of the others. Any thread.
 */
final class RetryBudget {
    /** How many retries are in the budget at most, and at the beginning. */
    static final int RESERVE = 500;

    /** What a retry costs; a call deposits the percentage. */
    private static final int COST = 100;

    private static final long FULL = (long) RESERVE * COST;

    private final int percent;
    private final AtomicLong balance = new AtomicLong(FULL);

    /** A full one; with a negative percentage it is never used up. */
    RetryBudget(int percent) {
        this.percent = percent;
    }

    /** A call begins. */
    void deposit() {
        // while nothing is retried, every call only reads
        if (percent > 0 && balance.get() < FULL) {
            balance.addAndGet(percent);
        }
    }

    /** {@return whether another try is within the budget, which it then has used} */
    boolean tryTake() {
        if (percent < 0) {
            return true;
        }
        if (balance.get() < COST) {
            return false;
        }
        if (balance.addAndGet(-COST) < 0) {
            balance.addAndGet(COST);
            return false;
        }
        return true;
    }
}
