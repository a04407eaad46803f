// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;

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
                        text.append(object(contestant, cell, figures(contestant, cell))));
        return text.toString();
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

    private static String object(Contestant contestant, Cell cell, Figures figures) {
        return String.format(
                Locale.ROOT,
                "{\"system\": \"%s\", \"transport\": \"%s\", \"mode\": \"%s\","
                        + " \"caller\": \"%s\", \"service\": \"%s\", \"bytes\": %d,"
                        + " \"depth\": %d, \"p50_us\": %.3f, \"p99_us\": %.3f, \"p999_us\": %.3f,"
                        + " \"calls_per_s\": %.1f, \"mb_per_s\": %.3f,"
                        + " \"garbage_bytes_per_call\": %.1f, \"cpu_us_per_call\": %.3f}%n",
                contestant.system(),
                contestant.transport(),
                contestant.mode(),
                contestant.caller().key(),
                contestant.service().key(),
                cell.bytes(),
                cell.depth(),
                figures.p50Us(),
                figures.p99Us(),
                figures.p999Us(),
                figures.callsPerS(),
                figures.mbPerS(),
                figures.garbagePerCall(),
                figures.cpuUsPerCall());
    }
}
