// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;

/**
 * Counts latencies in the buckets of a {@link Histogram} of two digits, with one atomic addition
 * each, where HdrHistogram's own recorder needs several. Counts only grow, so nothing is lost
 * between a thread that records and one that reads.
 *
 * <pre>
 *   0 .. 255       a bucket for each value
 *   256 .. 511     a bucket for every 2 values      each doubling of the value
 *   512 .. 1023    a bucket for every 4 values      has 128 buckets
 *   ...
 * </pre>
 *
 * <p>Threads: any may record; one at a time may take.
 */
final class LatencyCounts {
    /** Those of {@link Histogram}: so many digits need buckets at most 1 % wide. */
    private static final int DIGITS = 2;

    private static final int EXACT_BITS = 8;
    private static final int EXACT = 1 << EXACT_BITS;
    private static final int PER_DOUBLING = EXACT / 2;

    /** Longer latencies, of more than an hour, count as this. */
    private static final long MOST_US = (1L << 32) - 1;

    private static final int BUCKETS = bucket(MOST_US) + 1;

    /** Made by the first call: many methods are never called, and few calls fail. */
    private volatile AtomicLongArray counts = new AtomicLongArray(0);

    private long[] taken = {};

    /**
     * Counts a latency. Any thread.
     *
     * @param us microseconds; below zero counts as zero
     */
    void record(long us) {
        AtomicLongArray array = counts;
        if (array.length() == 0) {
            array = made();
        }
        array.getAndIncrement(bucket(Math.clamp(us, 0, MOST_US)));
    }

    private synchronized AtomicLongArray made() {
        if (counts.length() == 0) {
            counts = new AtomicLongArray(BUCKETS);
        }
        return counts;
    }

    /** {@return how many were counted, ever} Any thread. */
    long total() {
        AtomicLongArray array = counts;
        long sum = 0;
        for (int i = 0; i < array.length(); i++) {
            sum += array.getOpaque(i);
        }
        return sum;
    }

    /** {@return what was counted since the last call} One thread at a time. */
    synchronized Histogram take() {
        AtomicLongArray array = counts;
        if (taken.length < array.length()) {
            taken = new long[BUCKETS];
        }
        Histogram interval = new Histogram(DIGITS);
        for (int i = 0; i < array.length(); i++) {
            long now = array.getOpaque(i);
            long added = now - taken[i];
            if (added > 0) {
                taken[i] = now;
                interval.recordValueWithCount(lowest(i), added);
            }
        }
        return interval;
    }

    private static int bucket(long us) {
        if (us < EXACT) {
            return (int) us;
        }
        int doublings = Long.SIZE - Long.numberOfLeadingZeros(us) - EXACT_BITS;
        return EXACT + (doublings - 1) * PER_DOUBLING + (int) (us >>> doublings) - PER_DOUBLING;
    }

    /** {@return the lowest value that a bucket counts} */
    private static long lowest(int bucket) {
        if (bucket < EXACT) {
            return bucket;
        }
        int beyond = bucket - EXACT;
        int doublings = beyond / PER_DOUBLING + 1;
        return (long) (beyond % PER_DOUBLING + PER_DOUBLING) << doublings;
    }
}
