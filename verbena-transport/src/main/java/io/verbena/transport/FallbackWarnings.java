// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.completion.Notices;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Warns of connections that use TCP although RDMA was asked for. A reason that holds for one often
 * holds for thousands: it is logged once, and then how many more there were. Strangers can cause
 * fallbacks, so there is a limit on the reasons, too. Any thread.
 */
final class FallbackWarnings {
    /** How many reasons are logged in one pause. */
    static final int MOST_REASONS = 8;

    static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();

    /** When each reason was logged. Guarded by the lock, like the count. */
    private final Map<String, Long> loggedNs = new HashMap<>();

    private int leftOut;

    /**
     * A connection falls back.
     *
     * @param connection which
     * @param reason why
     */
    void warn(SocketConnection connection, String reason) {
        OptionalInt before = admit(reason, System.nanoTime());
        if (before.isEmpty()) {
            return;
        }
        if (before.getAsInt() > 0) {
            Notices.warn(
                    FallbackWarnings.class,
                    before.getAsInt()
                            + " more connections have used TCP since the last such warning");
        }
        Notices.warn(
                FallbackWarnings.class,
                connection + " uses TCP, although RDMA was asked for: " + reason);
    }

    /**
     * {@return how many fallbacks were left out before this one; empty if this one is left out,
     * too}
     */
    OptionalInt admit(String reason, long nowNs) {
        lock.lock();
        try {
            loggedNs.values().removeIf(then -> nowNs - then >= PAUSE_NS);
            if (loggedNs.containsKey(reason) || loggedNs.size() == MOST_REASONS) {
                leftOut++;
                return OptionalInt.empty();
            }
            loggedNs.put(reason, nowNs);
            int before = leftOut;
            leftOut = 0;
            return OptionalInt.of(before);
        } finally {
            lock.unlock();
        }
    }
}
