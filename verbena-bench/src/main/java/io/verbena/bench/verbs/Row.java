// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Measurement;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

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
    static final double MB = 1 << 20;

    /**
     * What is run at one message size.
     *
     * @param floor the shared cache line; nothing if the peer is on another host
     * @param ours the test
     * @param alone the test without idle queue pairs; nothing if there are none
     * @param copy the memory copy
     * @param perftest perftest's program; nothing if it was not asked for
     */
    record Entries(
            Optional<Entry> floor,
            Entry ours,
            Optional<Entry> alone,
            Entry copy,
            Optional<Entry> perftest) {
        /** {@return all, in the order of a round: ours stands between the floor and the copy} */
        List<Entry> inTurn() {
            return Stream.of(floor, Optional.of(ours), alone, Optional.of(copy), perftest)
                    .flatMap(Optional::stream)
                    .toList();
        }
    }

    /**
     * {@return the medians over the runs}
     *
     * @param test which test
     * @param bytes the message size
     * @param entries what was run
     */
    static Row of(TestKind test, int bytes, Entries entries) {
        Entry ours = entries.ours();
        return new Row(
                bytes,
                ours.count(),
                ours.median(m -> m.minNs() / US),
                ours.median(m -> m.medianNs() / US),
                ours.median(m -> m.percentileNs(0.99) / US),
                ours.median(m -> m.percentileNs(0.999) / US),
                ours.median(m -> m.maxNs() / US),
                ours.median(m -> m.averageNs() / US),
                ours.median(m -> m.deviationNs() / US),
                ours.median(Measurement::messagesPerSecond),
                ours.median(Measurement::peakPerSecond),
                median(entries.alone(), m -> m.medianNs() / US),
                median(entries.floor(), m -> m.medianNs() / US),
                median(entries.floor(), m -> m.percentileNs(0.99) / US),
                entries.copy().median(m -> m.messagesPerSecond() * MemoryCopy.BLOCK),
                median(
                        entries.perftest(),
                        test.isLatency()
                                ? m -> m.medianNs() / US
                                : m -> m.messagesPerSecond() * bytes / MB));
    }

    private static OptionalDouble median(
            Optional<Entry> entry, ToDoubleFunction<Measurement> figure) {
        return entry.stream().mapToDouble(each -> each.median(figure)).findFirst();
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
}
