// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.Median;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one measurement, or the medians of several.
 *
 * @param p50Us the latency that half of the calls do not exceed
 * @param p99Us the same for 99 of 100 calls
 * @param p999Us the same for 999 of 1000 calls
 * @param callsPerS calls per second
 * @param mbPerS million bytes per second, in each direction
 * @param garbagePerCall bytes that the client's process allocated on the heap per call
 * @param cpuUsPerCall processor time of both processes per call
 */
record Figures(
        double p50Us,
        double p99Us,
        double p999Us,
        double callsPerS,
        double mbPerS,
        double garbagePerCall,
        double cpuUsPerCall) {

    /** {@return the median of each figure} */
    static Figures medians(List<Figures> all) {
        return new Figures(
                Median.of(all, Figures::p50Us),
                Median.of(all, Figures::p99Us),
                Median.of(all, Figures::p999Us),
                Median.of(all, Figures::callsPerS),
                Median.of(all, Figures::mbPerS),
                Median.of(all, Figures::garbagePerCall),
                Median.of(all, Figures::cpuUsPerCall));
    }

    /** {@return a line that {@link #parse} can read} */
    String toLine() {
        return String.format(
                Locale.ROOT,
                "%.3f %.3f %.3f %.3f %.3f %.1f %.3f",
                p50Us,
                p99Us,
                p999Us,
                callsPerS,
                mbPerS,
                garbagePerCall,
                cpuUsPerCall);
    }

    static Figures parse(String line) {
        double[] numbers =
                Arrays.stream(line.strip().split(" ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray();
        if (numbers.length != 7) {
            throw new IllegalArgumentException("line: " + line + " (expected: seven numbers)");
        }
        return new Figures(
                numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]);
    }
}
