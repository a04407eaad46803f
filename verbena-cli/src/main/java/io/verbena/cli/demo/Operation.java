// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** One row of the demonstration: an operation on messages of one size, and how fast it was. */
final class Operation {
    /** The size of small messages. */
    static final int SMALL = 64;

    /** The size of large messages. */
    static final int LARGE = 1 << 20;

    private static final long MAX_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int DIGITS = 3;

    /** Performs the operation once. */
    @FunctionalInterface
    interface Step {
        /**
         * {@return how long it took in nanoseconds, not including the check of the bytes}
         *
         * @param size the size of the message
         */
        long run(int size);
    }

    private final String name;
    private final int size;
    private final int bytesMoved;
    private final Step step;
    private final Histogram histogram = new Histogram(1, MAX_NS, DIGITS);
    private long totalNs;
    private long verified;

    /**
     * A row without measurements.
     *
     * @param name its name
     * @param size the size of its messages
     * @param bytesMoved how many bytes one step moves while it is timed
     * @param step what to do
     */
    Operation(String name, int size, int bytesMoved, Step step) {
        this.name = name;
        this.size = size;
        this.bytesMoved = bytesMoved;
        this.step = step;
    }

    /**
     * Repeats the operation for a while.
     *
     * @param durationNs for how long
     */
    void run(long durationNs) {
        long end = System.nanoTime() + durationNs;
        do {
            long elapsed = step.run(size);
            histogram.recordValue(Math.clamp(elapsed, 1, MAX_NS));
            totalNs += elapsed;
            verified++;
        } while (System.nanoTime() - end < 0);
    }

    /** Discards the measurements, but not the number of verified messages. */
    void reset() {
        histogram.reset();
        totalNs = 0;
    }

    String name() {
        return name;
    }

    int size() {
        return size;
    }

    /** {@return a percentile in microseconds} */
    double percentileUs(double percentile) {
        return histogram.getValueAtPercentile(percentile) / 1e3;
    }

    double maxUs() {
        return histogram.getMaxValue() / 1e3;
    }

    /** {@return operations per second of the time spent in them} */
    double rate() {
        return totalNs == 0 ? 0 : histogram.getTotalCount() * 1e9 / totalNs;
    }

    double megabytesPerSecond() {
        return rate() * bytesMoved / 1e6;
    }

    /** {@return how many messages were verified} */
    long verified() {
        return verified;
    }

    long verifiedBytes() {
        return verified * size;
    }
}
