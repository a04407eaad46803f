// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When a reader tells its peer how much it has consumed: after enough bytes, and otherwise when it
 * has nothing more to read, but not more often than a short while. A peer with a small window waits
 * for exactly that, so what is held back is said a moment later.
 *
 * <p>Threads: any.
 */
final class FeedbackPolicy {
    private static final long BYTES = 1 << 16;
    private static final long PAUSE_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long LATER = -1;

    private long consumed;
    private long reported;
    private long reportedNs;
    private boolean isLatePlanned;

    /**
     * {@return how much to report, 0 if nothing, or less if {@link #late} is to be asked in a
     * moment}
     *
     * @param bytes how many more were consumed; 0 if there is nothing more to read
     * @param clock in terms of {@link System#nanoTime}
     */
    synchronized long consumed(long bytes, LongSupplier clock) {
        consumed += bytes;
        long unreported = consumed - reported;
        if (unreported >= BYTES) {
            return report(clock.getAsLong());
        }
        if (bytes > 0 || unreported == 0) {
            return 0;
        }
        long nowNs = clock.getAsLong();
        if (nowNs - reportedNs >= PAUSE_NS) {
            return report(nowNs);
        }
        if (isLatePlanned) {
            return 0;
        }
        isLatePlanned = true;
        return LATER;
    }

    private long report(long nowNs) {
        reported = consumed;
        reportedNs = nowNs;
        return consumed;
    }

    /** {@return how much to report, or 0 if nothing was held back} */
    synchronized long late() {
        isLatePlanned = false;
        return unreported();
    }

    private long unreported() {
        return consumed > reported ? report(reportedNs) : 0;
    }

    /** {@return how much was consumed so far, which counts as reported now} */
    synchronized long total() {
        return report(reportedNs);
    }
}
