// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.Arrays;

/** One run: the durations of its exchanges, sorted, and how long it took as a whole. */
public final class Measurement {
    private final long[] sortedNs;
    private final long messages;
    private final double elapsedNs;
    private final double peakPerSecond;

    /**
     * A run.
     *
     * @param sortedNs the duration of each exchange in nanoseconds, in ascending order; not copied
     * @param messages how many messages were moved in one direction
     * @param elapsedNs from the first post to the last completion
     * @param peakPerSecond the best rate over a window of the run, in messages per second
     */
    public Measurement(long[] sortedNs, long messages, double elapsedNs, double peakPerSecond) {
        if (sortedNs.length == 0) {
            throw new IllegalArgumentException("sortedNs.length: 0 (expected: >= 1)");
        }
        this.sortedNs = sortedNs;
        this.messages = messages;
        this.elapsedNs = elapsedNs;
        this.peakPerSecond = peakPerSecond;
    }

    /**
     * {@return a run of consecutive exchanges, each starting when the previous one ends}
     *
     * @param stamps the times at which they start, and at which the last ends
     */
    public static Measurement ofStamps(long[] stamps) {
        long[] durations = new long[stamps.length - 1];
        for (int i = 0; i < durations.length; i++) {
            durations[i] = stamps[i + 1] - stamps[i];
        }
        Arrays.sort(durations);
        long elapsed = Math.max(1, stamps[durations.length] - stamps[0]);
        return new Measurement(
                durations, durations.length, elapsed, durations.length * 1e9 / elapsed);
    }

    /**
     * {@return a run of which only the total duration is known}
     *
     * @param messages how many messages were moved in one direction
     * @param elapsedNs how long all of them took together
     */
    public static Measurement ofWhole(long messages, long elapsedNs) {
        long elapsed = Math.max(1, elapsedNs);
        return new Measurement(new long[] {elapsed}, messages, elapsed, 0);
    }

    /**
     * {@return a percentile: the duration in nanoseconds that a share of the exchanges does not
     * exceed}
     *
     * @param share from 0 to 1, such as 0.99
     */
    public double percentileNs(double share) {
        int rank = (int) Math.ceil(share * sortedNs.length);
        return sortedNs[Math.clamp(rank - 1, 0, sortedNs.length - 1)];
    }

    /**
     * {@return the median; the mean of the middle two if their number is even, as perftest does}
     */
    public double medianNs() {
        int middle = sortedNs.length / 2;
        return sortedNs.length % 2 == 1
                ? sortedNs[middle]
                : (sortedNs[middle - 1] + sortedNs[middle]) / 2.0;
    }

    /** {@return the shortest exchange} */
    public double minNs() {
        return sortedNs[0];
    }

    /** {@return the longest exchange} */
    public double maxNs() {
        return sortedNs[sortedNs.length - 1];
    }

    /** {@return the mean} */
    public double averageNs() {
        double sum = 0;
        for (long duration : sortedNs) {
            sum += duration;
        }
        return sum / sortedNs.length;
    }

    /** {@return the standard deviation} */
    public double deviationNs() {
        double average = averageNs();
        double sum = 0;
        for (long duration : sortedNs) {
            sum += (duration - average) * (duration - average);
        }
        return Math.sqrt(sum / sortedNs.length);
    }

    /** {@return how many messages were moved in one direction} */
    public long messages() {
        return messages;
    }

    /** {@return the best rate over a window of the run} */
    public double peakPerSecond() {
        return peakPerSecond;
    }

    /** {@return the rate of the whole run} */
    public double messagesPerSecond() {
        return messages * 1e9 / elapsedNs;
    }
}
