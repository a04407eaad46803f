// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Doubts a list that lacks most of the servers of a moment ago. A registry that was away for longer
 * than its sessions last forgets all servers at once; they serve on, and need some seconds to
 * announce themselves again. For one thread at a time.
 */
final class SuddenLoss {
    /** With fewer servers, losing most of them is nothing special. */
    static final int LEAST_SERVERS = 8;

    private final long holdNs;
    private final LongSupplier clock;

    /** How many servers there were before the latest changes. */
    private int before;

    private long changedNs;
    private long doubtedNs;
    private boolean isDoubting;

    SuddenLoss(int holdSeconds, LongSupplier clock) {
        this.holdNs = TimeUnit.SECONDS.toNanos(holdSeconds);
        this.clock = clock;
        this.changedNs = clock.getAsLong();
    }

    /**
     * {@return whether a list is to be used} If not, it is asked again after the time to hold, or
     * about a newer list before that.
     *
     * @param listed how many servers the list has
     * @param used how many are in use
     */
    boolean isBelieved(int listed, int used) {
        long now = clock.getAsLong();
        if (!isDoubting && now - changedNs >= holdNs) {
            before = used;
        }
        // many registries repeat what they have said
        if (listed != used) {
            changedNs = now;
        }
        before = Math.max(before, listed);
        if (before < LEAST_SERVERS || listed * 2 >= before) {
            isDoubting = false;
            return true;
        }
        if (!isDoubting) {
            isDoubting = true;
            doubtedNs = now;
        }
        if (now - doubtedNs < holdNs) {
            return false;
        }
        isDoubting = false;
        before = listed;
        return true;
    }

    /** The registry is away. Servers can come back, and are waited for, only when it is there. */
    void beginOutage() {
        isDoubting = false;
    }
}
