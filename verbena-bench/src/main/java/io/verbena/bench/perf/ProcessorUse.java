// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicLong;

/** How much processor time this process uses, sampled at most ten times a second. Any thread. */
final class ProcessorUse {
    private static final long INTERVAL_NS = 100_000_000;

    private final AtomicLong lastAsked = new AtomicLong(System.nanoTime());

    /** Changed only by the thread that advanced {@link #lastAsked}. */
    private volatile long lastUsedNs = usedNs();

    /**
     * {@return processors in use since the last answer, or nothing if that was less than 100 ms
     * ago}
     */
    OptionalDouble sample() {
        long now = System.nanoTime();
        long last = lastAsked.get();
        if (now - last <= INTERVAL_NS || !lastAsked.compareAndSet(last, now)) {
            return OptionalDouble.empty();
        }
        long used = usedNs();
        double share = (double) (used - lastUsedNs) / (now - last);
        lastUsedNs = used;
        return OptionalDouble.of(share);
    }

    private static long usedNs() {
        return ProcessHandle.current().info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }
}
