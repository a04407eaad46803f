// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Lets only some calls through while a cluster that was down comes back; brpc's {@code
 * DefaultClusterRecoverPolicy}. The more servers work, the more calls; with the least number, or
 * when that number has not changed for a while, all. Any thread.
 */
final class ClusterRecovery {
    /** How long a count of working servers is used. */
    private static final long COUNT_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final int minWorking;
    private final long holdNs;
    private final LongSupplier clock;
    private volatile boolean isRecovering;
    private volatile long countedNs;
    private volatile long changedNs;
    private volatile int working;

    ClusterRecovery(int minWorking, int holdSeconds, LongSupplier clock) {
        this.minWorking = minWorking;
        this.holdNs = TimeUnit.SECONDS.toNanos(holdSeconds);
        this.clock = clock;
    }

    /** No server was available. */
    void begin() {
        if (minWorking > 0 && !isRecovering) {
            long now = clock.getAsLong();
            working = 0;
            changedNs = now;
            countedNs = now - COUNT_NS;
            isRecovering = true;
        }
    }

    /** {@return whether a call may be sent} */
    boolean isAdmitted(Target[] targets) {
        return !isRecovering || isAdmittedNow(targets);
    }

    private boolean isAdmittedNow(Target[] targets) {
        long now = clock.getAsLong();
        if (now - countedNs >= COUNT_NS) {
            countedNs = now;
            count(targets, now);
        }
        int usable = working;
        if (usable >= minWorking || usable > 0 && now - changedNs >= holdNs) {
            isRecovering = false;
            return true;
        }
        // none at all: the call finds that out itself
        return usable == 0 || ThreadLocalRandom.current().nextInt(minWorking) < usable;
    }

    private void count(Target[] targets, long now) {
        int found = 0;
        for (Target target : targets) {
            if (target.isAvailable()) {
                found++;
            }
        }
        if (found != working) {
            working = found;
            changedNs = now;
        }
    }
}
