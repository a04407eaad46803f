// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.verbena.bench.measure.JsonLine;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

/** The results of a contest, for people and for programs. */
final class ContestReport {
    private final Contest.Setup setup;
    private final Map<Contestant, Map<Cell, Figures>> medians;
    private final Map<Contestant, CrowdFigures> crowds;
    private final StreamRows streams;

    ContestReport(
            Contest.Setup setup,
            Map<Contestant, Map<Cell, Figures>> medians,
            Map<Contestant, CrowdFigures> crowds,
            Map<Contestant, Map<Integer, StreamFigures>> streams) {
        this.setup = setup;
        this.medians = medians;
        this.crowds = crowds;
        this.streams = new StreamRows(setup.streamBytes(), streams);
    }

    /** {@return a page with the table, the plots, and how it was measured} */
    String markdown() {
        return "# Calls compared with other systems\n\n"
                + "Written by `./verbena compare`; [benchmarks.md](../benchmarks.md) explains what"
                + " is measured. "
                + conditions()
                + "\n\n"
                + new ContestSummary(medians).table()
                + "\n"
                + table()
                + "\n![one call at a time](compare-latency.svg)\n\n"
                + "![many calls at a time](compare-rate.svg)\n\n"
                + "![one blocking caller](compare-blocking-latency.svg)\n\n"
                + "![many blocking callers](compare-blocking-rate.svg)\n";
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
                        "| system | transport | mode | caller | service | bytes | depth | p50 µs |"
                                + " p99 µs | p99.9 µs | calls/s | MB/s | garbage B/call |"
                                + " CPU µs/call |\n"
                                + "|---|---|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n");
        forEachRow(
                (contestant, cell) ->
                        text.append(row(contestant, cell, figures(contestant, cell))));
        return text.append(crowdTable()).append(streams.table()).toString();
    }

    private String crowdTable() {
        StringBuilder text = new StringBuilder();
        if (!crowds.isEmpty()) {
            text.append(
                    "\n| system | transport | connections | client KiB each | server KiB each |"
                            + " p50 µs | p99 µs |\n|---|---|---:|---:|---:|---:|---:|\n");
        }
        crowds.forEach(
                (contestant, figures) ->
                        text.append(
                                String.format(
                                        Locale.ROOT,
                                        "| %s | %s | %,d | %.1f | %.1f | %.1f | %.1f |%n",
                                        contestant.system(),
                                        contestant.transport(),
                                        setup.connections(),
                                        figures.clientBytes() / 1024,
                                        figures.serverBytes() / 1024,
                                        figures.p50Us(),
                                        figures.p99Us())));
        return text.toString();
    }

    private static String row(Contestant contestant, Cell cell, Figures figures) {
        return String.format(
                Locale.ROOT,
                "| %s | %s | %s | %s | %s | %s | %d | %.1f | %.1f | %.1f | %,.0f | %,.1f | %,.0f |"
                        + " %.1f |%n",
                contestant.system(),
                contestant.transport(),
                contestant.mode(),
                contestant.caller().key(),
                contestant.service().key(),
                cell.size(),
                cell.depth(),
                figures.p50Us(),
                figures.p99Us(),
                figures.p999Us(),
                figures.callsPerS(),
                figures.mbPerS(),
                figures.garbagePerCall(),
                figures.cpuUsPerCall());
    }

    /** {@return one object per row, on a line each} */
    String json() {
        StringBuilder text = new StringBuilder();
        forEachRow(
                (contestant, cell) ->
                        text.append(object(contestant, cell, figures(contestant, cell)))
                                .append('\n'));
        crowds.forEach(
                (contestant, figures) -> text.append(object(contestant, figures)).append('\n'));
        return text.append(streams.json()).toString();
    }

    /** Rows that compare with each other follow each other. */
    private void forEachRow(BiConsumer<Contestant, Cell> action) {
        for (Cell cell : setup.cells()) {
            medians.keySet().stream()
                    .filter(contestant -> contestant.measures(cell))
                    .forEach(contestant -> action.accept(contestant, cell));
        }
    }

    private Figures figures(Contestant contestant, Cell cell) {
        return medians.get(contestant).get(cell);
    }

    private static JsonLine object(Contestant contestant, Cell cell, Figures figures) {
        return object(contestant)
                .whole("connections", 1)
                .whole("bytes", cell.bytes())
                .whole("depth", cell.depth())
                .number("p50_us", figures.p50Us())
                .number("p99_us", figures.p99Us())
                .number("p999_us", figures.p999Us())
                .number("calls_per_s", figures.callsPerS())
                .number("mb_per_s", figures.mbPerS())
                .number("garbage_bytes_per_call", figures.garbagePerCall())
                .number("cpu_us_per_call", figures.cpuUsPerCall());
    }

    private JsonLine object(Contestant contestant, CrowdFigures figures) {
        return object(contestant)
                .whole("connections", setup.connections())
                .whole("bytes", Cell.SMALLEST)
                .whole("depth", 1)
                .number("p50_us", figures.p50Us())
                .number("p99_us", figures.p99Us())
                .number("client_bytes_per_connection", figures.clientBytes())
                .number("server_bytes_per_connection", figures.serverBytes());
    }

    /** {@return what all objects of a contestant begin with} */
    static JsonLine object(Contestant contestant) {
        return new JsonLine()
                .text("system", contestant.system())
                .text("transport", contestant.transport())
                .text("mode", contestant.mode())
                .text("caller", contestant.caller().key())
                .text("service", contestant.service().key());
    }
}
