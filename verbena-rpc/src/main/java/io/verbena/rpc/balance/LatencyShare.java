// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import java.util.concurrent.locks.ReentrantLock;

/**
 * What share of the calls a server gets: the more calls it answers and the faster it does, over its
 * last {@value #SAMPLES} answers; less if calls in flight have waited for longer than usual, or if
 * it has yet to answer its first call. brpc's {@code LocalityAwareLoadBalancer::Weight}, except for
 * that first call, and that the calls per second count by their square root: otherwise every
 * distribution among equal servers would be stable, and they drift apart. Any thread.
 */
final class LatencyShare {
    static final int SAMPLES = 128;

    /** The least share: a server that is slow now is still asked now and then. */
    static final long LEAST_WEIGHT = 1000;

    /** Of the first servers of a channel, before any answer. */
    static final long FIRST_WEIGHT = 1_000_000_000;

    /** The largest share, so that sums of shares do not overflow. */
    private static final double MOST_WEIGHT = 1e14;

    /**
     * Calls in flight count against a server if they are older than this many average latencies.
     */
    private static final double IN_FLIGHT_FACTOR = 1.5;

    /** A failed try counts as one that took longer. */
    private static final double FAILURE_FACTOR = 1.2;

    /** The weight of a server with one call per second that takes a second is the least one. */
    private static final double SCALE = LEAST_WEIGHT * 1e9 * Math.sqrt(1e9);

    /** How fast the sum of begins forgets its errors: a try's latency begins before its choice. */
    private static final int CORRECTION = 1024;

    private final ReentrantLock lock = new ReentrantLock();
    private final long[] endsNs = new long[SAMPLES];
    private final long[] latenciesNs = new long[SAMPLES];
    private final long originNs = System.nanoTime();
    private int count;
    private long latencySumNs;
    private long base;
    private long beginSumNs;
    private int inFlight;
    private volatile long weight;

    LatencyShare(long first) {
        base = Math.max(LEAST_WEIGHT, first);
        weight = base;
    }

    long weight() {
        return weight;
    }

    /** A call goes to the server. {@return its share from now on} */
    long begin(long nowNs) {
        lock.lock();
        try {
            beginSumNs += nowNs - originNs;
            inFlight++;
            return update(nowNs);
        } finally {
            lock.unlock();
        }
    }

    /** A call is over. {@return the server's share from now on} */
    long end(long nowNs, long latencyNs, int errorCode) {
        lock.lock();
        try {
            beginSumNs -= nowNs - latencyNs - originNs;
            inFlight--;
            correctBegins(nowNs);
            if (!Feedback.isCutShort(errorCode) || latencyNs > averageNs()) {
                sample(nowNs, errorCode == 0 ? latencyNs : punished(latencyNs));
            }
            return update(nowNs);
        } finally {
            lock.unlock();
        }
    }

    /** Calls in flight are on average half done; a server that hangs ends none, and waits on. */
    private void correctBegins(long nowNs) {
        long expectedNs = (nowNs - originNs - averageNs() / 2) * inFlight;
        beginSumNs += inFlight == 0 ? -beginSumNs : (expectedNs - beginSumNs) / CORRECTION;
    }

    private long punished(long latencyNs) {
        return (long) (Math.max(latencyNs, averageNs()) * FAILURE_FACTOR);
    }

    private void sample(long nowNs, long latencyNs) {
        int place = count % SAMPLES;
        if (count >= SAMPLES) {
            latencySumNs -= latenciesNs[place];
        }
        latenciesNs[place] = latencyNs;
        endsNs[place] = nowNs;
        latencySumNs += latencyNs;
        count++;
        // the counter must not wrap around to a negative place
        if (count == Integer.MAX_VALUE / SAMPLES * SAMPLES) {
            count = SAMPLES;
        }
        base =
                (long)
                        Math.clamp(
                                SCALE * Math.sqrt(callsPerNs(nowNs)) / averageNs(),
                                LEAST_WEIGHT,
                                MOST_WEIGHT);
    }

    private double callsPerNs(long nowNs) {
        int known = Math.min(count, SAMPLES);
        long oldest = endsNs[count > SAMPLES ? count % SAMPLES : 0];
        return (double) known / Math.max(1, nowNs - oldest + averageNs());
    }

    private long averageNs() {
        int known = Math.min(count, SAMPLES);
        return known == 0 ? 0 : Math.max(1, latencySumNs / known);
    }

    private long update(long nowNs) {
        long changed = base;
        long average = averageNs();
        if (inFlight > 0 && average == 0) {
            // the first call finds out; a server that has just started may hold it up for long
            changed = LEAST_WEIGHT;
        } else if (inFlight > 0) {
            double waitedNs = nowNs - originNs - (double) beginSumNs / inFlight;
            double usualNs = average * IN_FLIGHT_FACTOR;
            if (waitedNs > usualNs) {
                changed = (long) (changed * usualNs / waitedNs);
            }
        }
        weight = Math.max(LEAST_WEIGHT, changed);
        return weight;
    }
}
