// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/** The streams of a contest, for people and for programs: one row for each size and contestant. */
final class StreamRows {
    private final List<Integer> sizes;
    private final Map<Contestant, Map<Integer, StreamFigures>> medians;

    StreamRows(List<Integer> sizes, Map<Contestant, Map<Integer, StreamFigures>> medians) {
        this.sizes = sizes;
        this.medians = medians;
    }

    /** {@return a table in Markdown; empty if there were no streams} */
    String table() {
        if (medians.isEmpty()) {
            return "";
        }
        StringBuilder text =
                new StringBuilder(
                        "\n| one stream | transport | bytes | messages/s | MB/s |"
                                + " garbage B/message | CPU µs/message |\n"
                                + "|---|---|---:|---:|---:|---:|---:|\n");
        forEachRow(
                (contestant, bytes) -> {
                    StreamFigures figures = medians.get(contestant).get(bytes);
                    text.append(
                            String.format(
                                    Locale.ROOT,
                                    "| %s | %s | %s | %,.0f | %,.1f | %,.0f | %.2f |%n",
                                    contestant.system(),
                                    contestant.transport(),
                                    new Cell(bytes, 1).size(),
                                    figures.messagesPerS(),
                                    figures.mbPerS(),
                                    figures.garbagePerMessage(),
                                    figures.cpuUsPerMessage()));
                });
        return text.toString();
    }

    /** {@return one object per row, on a line each} */
    String json() {
        StringBuilder text = new StringBuilder();
        forEachRow(
                (contestant, bytes) -> {
                    StreamFigures figures = medians.get(contestant).get(bytes);
                    text.append(
                                    ContestReport.object(contestant)
                                            .whole("streams", 1)
                                            .whole("bytes", bytes)
                                            .number("messages_per_s", figures.messagesPerS())
                                            .number("mb_per_s", figures.mbPerS())
                                            .number(
                                                    "garbage_bytes_per_message",
                                                    figures.garbagePerMessage())
                                            .number(
                                                    "cpu_us_per_message",
                                                    figures.cpuUsPerMessage()))
                            .append('\n');
                });
        return text.toString();
    }

    /** Rows that compare with each other follow each other. */
    private void forEachRow(BiConsumer<Contestant, Integer> action) {
        for (int bytes : sizes) {
            medians.keySet().forEach(contestant -> action.accept(contestant, bytes));
        }
    }
}
