// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The results of a contest, for people and for programs. */
final class ContestReport {
    private final Contest.Setup setup;
    private final Map<Contestant, Map<Cell, Figures>> medians;

    ContestReport(Contest.Setup setup, Map<Contestant, Map<Cell, Figures>> medians) {
        this.setup = setup;
        this.medians = medians;
    }

    /** {@return a page with the table, the plots, and how it was measured} */
    String markdown() {
        return "# Calls compared with other systems\n\n"
                + "Written by `./verbena compare`; [benchmarks.md](../benchmarks.md) explains what"
                + " is measured. "
                + conditions()
                + "\n\n"
                + table()
                + "\n![latency of one call at a time](compare-latency.svg)\n\n"
                + "![calls per second](compare-rate.svg)\n";
    }

    private String conditions() {
        return String.format(
                Locale.ROOT,
                "%s, %d processors, %s, Java %s, `%s` for all. %d round(s), each measurement"
                        + " %.1f s after %.1f s of warm-up, medians over the rounds.",
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name"),
                Runtime.version(),
                String.join(" ", JvmOptions.SHARED),
                setup.rounds(),
                setup.measureMs() / 1e3,
                setup.warmUpMs() / 1e3);
    }

    /** {@return the table in Markdown, also readable on a terminal} */
    String table() {
        StringBuilder text =
                new StringBuilder(
                        "| system | transport | mode | bytes | depth | p50 µs | p99 µs | p99.9 µs |"
                                + " calls/s | MB/s | garbage B/call |\n"
                                + "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        for (Cell cell : setup.cells()) {
            medians.forEach(
                    (contestant, cells) -> text.append(row(contestant, cell, cells.get(cell))));
        }
        return text.toString();
    }

    private static String row(Contestant contestant, Cell cell, Figures figures) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %d | %.1f | %.1f | %.1f | %,.0f | %,.1f | %,.0f |%n",
                contestant.system(),
                contestant.transport(),
                contestant.mode(),
                cell.size(),
                cell.depth(),
                figures.p50Us(),
                figures.p99Us(),
                figures.p999Us(),
                figures.callsPerS(),
                figures.mbPerS(),
                figures.garbagePerCall());
    }

    /** {@return one object per row, on a line each} */
    String json() {
        StringBuilder text = new StringBuilder();
        for (Cell cell : setup.cells()) {
            medians.forEach(
                    (contestant, cells) -> text.append(object(contestant, cell, cells.get(cell))));
        }
        return text.toString();
    }

    private static String object(Contestant contestant, Cell cell, Figures figures) {
        return String.format(
                Locale.ROOT,
                "{\"system\": \"%s\", \"transport\": \"%s\", \"mode\": \"%s\", \"bytes\": %d,"
                        + " \"depth\": %d, \"p50_us\": %.3f, \"p99_us\": %.3f, \"p999_us\": %.3f,"
                        + " \"calls_per_s\": %.1f, \"mb_per_s\": %.3f,"
                        + " \"garbage_bytes_per_call\": %.1f}%n",
                contestant.system(),
                contestant.transport(),
                contestant.mode(),
                cell.bytes(),
                cell.depth(),
                figures.p50Us(),
                figures.p99Us(),
                figures.p999Us(),
                figures.callsPerS(),
                figures.mbPerS(),
                figures.garbagePerCall());
    }

    String latencyPlot() {
        return plot("One call at a time: median, in microseconds", true, Figures::p50Us);
    }

    String ratePlot() {
        return plot("Many calls at a time: calls per second", false, Figures::callsPerS);
    }

    private String plot(String title, boolean isLatency, ToDoubleFunction<Figures> figure) {
        List<Cell> cells =
                setup.cells().stream().filter(cell -> cell.isLatency() == isLatency).toList();
        Map<String, List<Double>> series = new LinkedHashMap<>();
        medians.forEach(
                (contestant, found) ->
                        series.put(
                                contestant.key(),
                                cells.stream()
                                        .map(cell -> figure.applyAsDouble(found.get(cell)))
                                        .toList()));
        List<String> groups =
                cells.stream().map(cell -> cell.size() + ", depth " + cell.depth()).toList();
        return new BarPlot(title, groups, series).toString();
    }
}
