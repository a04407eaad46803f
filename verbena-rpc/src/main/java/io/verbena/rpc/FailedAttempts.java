// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.RareLog;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Failed attempts to authenticate. The more of them an address makes, the longer it waits for each
 * answer, so that guessing is slow. Any thread.
 */
final class FailedAttempts {
    /** Mistakes that anyone may make. */
    private static final int FREE = 3;

    private static final long FIRST_DELAY_MS = 100;
    private static final long MOST_DELAY_MS = 2000;
    private static final int MOST_DOUBLINGS = 5;
    private static final long FORGOTTEN_NS = TimeUnit.MINUTES.toNanos(1);

    /** Beyond this, the address that failed longest ago is forgotten. */
    private static final int MOST_ADDRESSES = 10_000;

    private final RareLog log = new RareLog(FailedAttempts.class);
    private final AtomicLong total = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();

    /** By address, the latest last. Guarded by the lock. */
    private final Map<Object, Failures> recent = new LinkedHashMap<>();

    private record Failures(int count, long lastNs) {}

    /** {@return how many there were} */
    long total() {
        return total.get();
    }

    /**
     * Counts one more.
     *
     * @return for how many milliseconds its answer should wait
     */
    long record(InetSocketAddress client) {
        total.incrementAndGet();
        int count = countOf(client);
        log.warn("failed to authenticate", Addresses.text(client));
        return count <= FREE
                ? 0
                : Math.min(
                        MOST_DELAY_MS,
                        FIRST_DELAY_MS << Math.min(count - FREE - 1, MOST_DOUBLINGS));
    }

    private int countOf(InetSocketAddress client) {
        long now = System.nanoTime();
        lock.lock();
        try {
            Failures before = recent.remove(client.getAddress());
            boolean isKnown = before != null && now - before.lastNs() < FORGOTTEN_NS;
            int count = isKnown ? before.count() + 1 : 1;
            recent.put(client.getAddress(), new Failures(count, now));
            if (recent.size() > MOST_ADDRESSES) {
                recent.remove(recent.keySet().iterator().next());
            }
            return count;
        } finally {
            lock.unlock();
        }
    }
}
