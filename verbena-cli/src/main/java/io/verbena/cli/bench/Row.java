// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;

/**
 * What was measured at one message size: over all runs, the median of each figure.
 *
 * @param bytes the message size
 * @param iterations messages per run
 * @param minUs the shortest exchange
 * @param p50Us the median exchange
 * @param p99Us what 99 % of the exchanges do not exceed
 * @param p999Us what 99.9 % of them do not exceed
 * @param maxUs the longest exchange
 * @param averageUs the mean
 * @param deviationUs the standard deviation
 * @param messagesPerSecond messages in one direction
 * @param peakPerSecond the best rate over a window
 * @param aloneP50Us the median exchange without idle queue pairs; nothing if there were none
 * @param floorUs the median round trip on a shared cache line; nothing if the peer is on another
 *     host
 * @param floorP99Us what 99 % of those round trips do not exceed: how noisy the machine was
 * @param copyBytesPerSecond a plain memory copy
 * @param perftest perftest's figure: its median round trip in microseconds, or its mebibytes per
 *     second; nothing if it was not asked for
 */
record Row(
        int bytes,
        int iterations,
        double minUs,
        double p50Us,
        double p99Us,
        double p999Us,
        double maxUs,
        double averageUs,
        double deviationUs,
        double messagesPerSecond,
        double peakPerSecond,
        OptionalDouble aloneP50Us,
        OptionalDouble floorUs,
        OptionalDouble floorP99Us,
        double copyBytesPerSecond,
        OptionalDouble perftest) {
    private static final double US = 1e3;

    /** Mebibytes, which perftest calls MB. */
    private static final double MB = 1 << 20;

    /**
     * {@return the medians over the runs}
     *
     * @param bytes the message size
     * @param runs the measured runs, at least one
     * @param alone the runs without idle queue pairs, if any
     * @param floors the floor before each run, if any
     * @param copies bytes per second of the memory copy after each run
     * @param perftests perftest's figure after each run, if any
     */
    static Row of(
            int bytes,
            List<Measurement> runs,
            List<Measurement> alone,
            List<Measurement> floors,
            List<Double> copies,
            List<Double> perftests) {
        return new Row(
                bytes,
                (int) runs.getFirst().messages(),
                median(runs, m -> m.minNs() / US),
                median(runs, m -> m.medianNs() / US),
                median(runs, m -> m.percentileNs(0.99) / US),
                median(runs, m -> m.percentileNs(0.999) / US),
                median(runs, m -> m.maxNs() / US),
                median(runs, m -> m.averageNs() / US),
                median(runs, m -> m.deviationNs() / US),
                median(runs, Measurement::messagesPerSecond),
                median(runs, Measurement::peakPerSecond),
                optionalMedian(alone, Measurement::medianNs),
                optionalMedian(floors, Measurement::medianNs),
                optionalMedian(floors, m -> m.percentileNs(0.99)),
                median(copies, Double::doubleValue),
                perftests.isEmpty()
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(median(perftests, Double::doubleValue)));
    }

    double mbPerSecond() {
        return messagesPerSecond * bytes / MB;
    }

    double peakMbPerSecond() {
        return peakPerSecond * bytes / MB;
    }

    double copyMbPerSecond() {
        return copyBytesPerSecond / MB;
    }

    /** {@return the median of some values; the mean of the middle two if their number is even} */
    static double median(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static <T> double median(List<T> values, ToDoubleFunction<T> figure) {
        return median(values.stream().mapToDouble(figure).toArray());
    }

    private static OptionalDouble optionalMedian(
            List<Measurement> runs, ToDoubleFunction<Measurement> figureNs) {
        return runs.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of(median(runs, figureNs) / US);
    }
}
