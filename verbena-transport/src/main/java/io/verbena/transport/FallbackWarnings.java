// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.completion.Notices;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Warns of connections that use TCP although RDMA was asked for. A reason that holds for one often
 * holds for thousands: it is logged once, and then how many more it has hit. Any thread.
 */
final class FallbackWarnings {
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private final ReentrantLock lock = new ReentrantLock();
    private String lastReason = "";
    private long lastNs;
    private int held;

    /**
     * A connection falls back.
     *
     * @param connection which
     * @param reason why
     */
    void warn(SocketConnection connection, String reason) {
        int before;
        lock.lock();
        try {
            long now = System.nanoTime();
            if (reason.equals(lastReason) && now - lastNs < PAUSE_NS) {
                held++;
                return;
            }
            lastReason = reason;
            lastNs = now;
            before = held;
            held = 0;
        } finally {
            lock.unlock();
        }
        if (before > 0) {
            Notices.warn(
                    FallbackWarnings.class,
                    before + " more connections use TCP for the reason given before");
        }
        Notices.warn(
                FallbackWarnings.class,
                connection + " uses TCP, although RDMA was asked for: " + reason);
    }
}
