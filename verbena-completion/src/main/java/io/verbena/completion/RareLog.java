// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Log lines that strangers can cause: one in ten seconds at most, with the number of those left
 * out, so that nobody can fill a disk with them. Any thread.
 */
public final class RareLog {
    private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

    private final Logger log;
    private final AtomicLong nextNs = new AtomicLong(System.nanoTime());
    private final AtomicLong leftOut = new AtomicLong();

    /**
     * A log that has not been used.
     *
     * @param owner the class that logs
     */
    public RareLog(Class<?> owner) {
        this.log = LoggerFactory.getLogger(owner);
    }

    /**
     * Logs a line at WARN, unless there was one a moment ago.
     *
     * @param what what happened
     * @param who who caused it
     */
    public void warn(String what, Object who) {
        long now = System.nanoTime();
        long due = nextNs.get();
        if (now - due < 0 || !nextNs.compareAndSet(due, now + PAUSE_NS)) {
            leftOut.incrementAndGet();
            return;
        }
        long others = leftOut.getAndSet(0);
        if (others == 0) {
            log.warn("{}: {}", who, what);
        } else {
            log.warn("{}: {} (and {} more since the last such line)", who, what, others);
        }
    }
}
