// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.Median;
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
 */
record Figures(
        double p50Us,
        double p99Us,
        double p999Us,
        double callsPerS,
        double mbPerS,
        double garbagePerCall) {

    /** {@return the median of each figure} */
    static Figures medians(List<Figures> all) {
        return new Figures(
                Median.of(all, Figures::p50Us),
                Median.of(all, Figures::p99Us),
                Median.of(all, Figures::p999Us),
                Median.of(all, Figures::callsPerS),
                Median.of(all, Figures::mbPerS),
                Median.of(all, Figures::garbagePerCall));
    }

    /** {@return a line that {@link #parse} can read} */
    String toLine() {
        return String.format(
                Locale.ROOT,
                "%.3f %.3f %.3f %.3f %.3f %.1f",
                p50Us,
                p99Us,
                p999Us,
                callsPerS,
                mbPerS,
                garbagePerCall);
    }

    static Figures parse(String line) {
        String[] words = line.strip().split(" ", -1);
        if (words.length != 6) {
            throw new IllegalArgumentException("line: " + line + " (expected: six numbers)");
        }
        return new Figures(
                Double.parseDouble(words[0]),
                Double.parseDouble(words[1]),
                Double.parseDouble(words[2]),
                Double.parseDouble(words[3]),
                Double.parseDouble(words[4]),
                Double.parseDouble(words[5]));
    }
}
