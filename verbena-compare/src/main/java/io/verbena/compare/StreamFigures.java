// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.Median;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The figures of one stream of messages, or the medians of several.
 *
 * @param messagesPerS messages per second
 * @param mbPerS million bytes per second
 * @param garbagePerMessage bytes that the reader's process allocated on the heap per message
 * @param cpuUsPerMessage processor time of both processes per message
 */
record StreamFigures(
        double messagesPerS, double mbPerS, double garbagePerMessage, double cpuUsPerMessage) {

    /** {@return the median of each figure} */
    static StreamFigures medians(List<StreamFigures> all) {
        return new StreamFigures(
                Median.of(all, StreamFigures::messagesPerS),
                Median.of(all, StreamFigures::mbPerS),
                Median.of(all, StreamFigures::garbagePerMessage),
                Median.of(all, StreamFigures::cpuUsPerMessage));
    }

    /** {@return a line that {@link #parse} can read} */
    String toLine() {
        return String.format(
                Locale.ROOT,
                "%.3f %.3f %.1f %.3f",
                messagesPerS,
                mbPerS,
                garbagePerMessage,
                cpuUsPerMessage);
    }

    static StreamFigures parse(String line) {
        double[] numbers =
                Arrays.stream(line.strip().split(" ", -1))
                        .mapToDouble(Double::parseDouble)
                        .toArray();
        if (numbers.length != 4) {
            throw new IllegalArgumentException("line: " + line + " (expected: four numbers)");
        }
        return new StreamFigures(numbers[0], numbers[1], numbers[2], numbers[3]);
    }
}
