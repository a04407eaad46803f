// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.time.Duration;

/**
 * Ends endpoints that keep the memory which the rest of their own message needs. If the pool is
 * empty and several messages are only partly there, all of them would wait for each other for ever.
 * So the one that keeps most ends, and the others get what it had. Inside the turn.
 */
final class Starvation {
    /** How long an endpoint waits for a block before it may be ended. */
    static final long LIMIT_NS = Duration.ofSeconds(1).toNanos();

    /** Between two ends: what the first gives back may be enough for all others. */
    private static final long PAUSE_NS = Duration.ofMillis(100).toNanos();

    /** An endpoint that has found no block for {@link #LIMIT_NS}. */
    interface Starving {
        /** {@return how many received bytes it keeps} */
        long keptBytes();

        /** Ends, unless there is a block now. */
        void endForLackOfMemory();
    }

    /** The one that keeps most, of those that this tick has found; null if there is none. */
    private Starving most;

    private long lastEndNs = System.nanoTime() - PAUSE_NS;

    /** An endpoint starves. */
    void add(Starving one) {
        long kept = one.keptBytes();
        if (kept > 0 && (most == null || kept > most.keptBytes())) {
            most = one;
        }
    }

    /** All endpoints had their tick. */
    void onTicked(long nowNs) {
        Starving found = most;
        most = null;
        if (found != null && nowNs - lastEndNs >= PAUSE_NS) {
            lastEndNs = nowNs;
            found.endForLackOfMemory();
        }
    }
}
