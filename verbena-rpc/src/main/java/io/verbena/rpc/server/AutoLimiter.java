// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Finds a good limit on concurrent calls; brpc's {@code auto}.
 *
 * <p>By Little's law, the number of calls under way in a server that is busy but not overloaded is
 * its no-load latency × its peak throughput. Both are measured in windows. The limit is set
 * somewhat higher, to see whether more is possible: much higher while that costs no latency, a
 * little higher when it does. From time to time the limit is lowered to measure the no-load latency
 * again.
 */
final class AutoLimiter implements ConcurrencyLimiter {
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MIN_SAMPLES = 100;
    private static final int MAX_SAMPLES = 200;
    private static final long SAMPLE_EVERY_NS = TimeUnit.MICROSECONDS.toNanos(100);
    private static final long REMEASURE_EVERY_NS = TimeUnit.SECONDS.toNanos(50);
    private static final double REMEASURE_RATIO = 0.9;
    private static final double MIN_EXPLORE = 0.06;
    private static final double MAX_EXPLORE = 0.3;
    private static final double EXPLORE_STEP = 0.02;
    private static final double LATENCY_WEIGHT = 0.1;
    private static final double THROUGHPUT_WEIGHT = 0.01;
    private static final double NOT_MEASURED = -1;

    /** The code of calls that a limiter rejected: they say nothing about this method. */
    private final int rejectionCode;

    private final LongSupplier clock;
    private final LongAdder answered = new LongAdder();

    /** Held while a sample is taken; a thread that does not get it drops its sample. */
    private final ReentrantLock sampling = new ReentrantLock();

    private volatile int max;
    private volatile long lastSampleNs;
    private long windowStartNs;
    private long remeasureAtNs;
    private int successes;
    private int samples;
    private double totalUs;
    private double idleLatencyUs = NOT_MEASURED;
    private double bestPerSecond = NOT_MEASURED;
    private double explore = MAX_EXPLORE;

    AutoLimiter(int initial, int rejectionCode, LongSupplier clock) {
        this.max = initial;
        this.rejectionCode = rejectionCode;
        this.clock = clock;
        this.windowStartNs = clock.getAsLong();
        this.lastSampleNs = windowStartNs;
        this.remeasureAtNs = windowStartNs + REMEASURE_EVERY_NS;
    }

    @Override
    public boolean isAllowed(int concurrency, int timeoutMs) {
        return concurrency <= max;
    }

    @Override
    public int maxConcurrency() {
        return max;
    }

    @Override
    public void onEnd(long latencyUs, int errorCode) {
        if (errorCode == rejectionCode) {
            return;
        }
        answered.increment();
        long now = clock.getAsLong();
        if (now - lastSampleNs < SAMPLE_EVERY_NS || !sampling.tryLock()) {
            return;
        }
        try {
            lastSampleNs = now;
            sample(latencyUs, errorCode, now);
        } finally {
            sampling.unlock();
        }
    }

    private void sample(long latencyUs, int errorCode, long now) {
        samples++;
        // a failure counts with its latency: failing fast must not look like being fast
        totalUs += latencyUs;
        if (errorCode == 0) {
            successes++;
        }
        boolean isWindowOver = now - windowStartNs >= WINDOW_NS;
        if (!isWindowOver && samples < MAX_SAMPLES) {
            return;
        }
        if (samples >= MIN_SAMPLES) {
            adjust(now);
        }
        startWindow(now);
    }

    private void startWindow(long now) {
        windowStartNs = now;
        samples = 0;
        successes = 0;
        totalUs = 0;
        answered.reset();
    }

    private void adjust(long now) {
        if (successes == 0) {
            max = Math.max(1, max / 2);
            return;
        }
        double latencyUs = totalUs / successes;
        double perSecond =
                answered.sum() * (double) TimeUnit.SECONDS.toNanos(1) / (now - windowStartNs);
        boolean isSlower = isMeasured() && latencyUs > idleLatencyUs * (1 + MIN_EXPLORE);
        boolean isBusy = isMeasured() && perSecond > bestPerSecond / (1 + MIN_EXPLORE);
        explore =
                isSlower && isBusy
                        ? Math.max(MIN_EXPLORE, explore - EXPLORE_STEP)
                        : Math.min(MAX_EXPLORE, explore + EXPLORE_STEP);
        measure(latencyUs, perSecond);
        double ideal = idleLatencyUs * bestPerSecond / TimeUnit.SECONDS.toMicros(1);
        if (now - remeasureAtNs >= 0) {
            remeasureAtNs = now + REMEASURE_EVERY_NS;
            idleLatencyUs = NOT_MEASURED;
            max = atLeastOne(ideal * REMEASURE_RATIO);
        } else {
            max = atLeastOne(ideal * (1 + explore));
        }
    }

    private boolean isMeasured() {
        return idleLatencyUs != NOT_MEASURED && bestPerSecond != NOT_MEASURED;
    }

    private void measure(double latencyUs, double perSecond) {
        if (idleLatencyUs == NOT_MEASURED) {
            idleLatencyUs = latencyUs;
        } else if (latencyUs < idleLatencyUs) {
            idleLatencyUs += (latencyUs - idleLatencyUs) * LATENCY_WEIGHT;
        }
        if (perSecond >= bestPerSecond) {
            bestPerSecond = perSecond;
        } else {
            bestPerSecond += (perSecond - bestPerSecond) * THROUGHPUT_WEIGHT;
        }
    }

    private static int atLeastOne(double value) {
        return (int) Math.max(1, Math.ceil(value));
    }
}
