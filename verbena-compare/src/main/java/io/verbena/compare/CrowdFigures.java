// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.Median;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The figures of a client with many connections to one server, or the medians of several.
 *
 * @param clientBytes resident memory that each connection adds to the client; NaN if unknown
 * @param serverBytes the same for the server
 * @param p50Us the median latency of calls, one at a time, over all connections in turn
 * @param p99Us the latency that 99 of 100 of these calls do not exceed
 */
record CrowdFigures(double clientBytes, double serverBytes, double p50Us, double p99Us) {

    /** {@return the median of each figure} */
    static CrowdFigures medians(List<CrowdFigures> all) {
        return new CrowdFigures(
                Median.of(all, CrowdFigures::clientBytes),
                Median.of(all, CrowdFigures::serverBytes),
                Median.of(all, CrowdFigures::p50Us),
                Median.of(all, CrowdFigures::p99Us));
    }

    /** {@return a line that {@link #parse} can read} */
    String toLine() {
        return String.format(
                Locale.ROOT, "%.1f %.1f %.3f %.3f", clientBytes, serverBytes, p50Us, p99Us);
    }

    static CrowdFigures parse(String line) {
        double[] numbers =
                Arrays.stream(line.strip().split(" ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray();
        if (numbers.length != 4) {
            throw new IllegalArgumentException("line: " + line + " (expected: four numbers)");
        }
        return new CrowdFigures(numbers[0], numbers[1], numbers[2], numbers[3]);
    }
}
