// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Our figures next to those of plain verbs.
 *
 * @param test what was measured, for programs
 * @param title the same, for people
 * @param device the device
 * @param rounds over how many rounds the medians are taken
 * @param rows the figures
 */
public record ComparisonReport(String test, String title, String device, int rounds, List<Row> rows)
        implements Report {
    /**
     * One figure for both.
     *
     * @param name what was done, for people
     * @param id the same, for programs
     * @param unit of both figures
     * @param verbs plain verbs
     * @param ours the layer above
     */
    public record Row(String name, String id, String unit, double verbs, double ours) {
        /**
         * {@return a row of medians}
         *
         * @param name what was done, for people
         * @param figure the figure, for programs, and how to take it from a run
         * @param verbs plain verbs, measured
         * @param ours the layer above, measured
         */
        public static Row of(String name, Figure figure, Entry verbs, Entry ours) {
            return new Row(
                    name,
                    figure.id(),
                    figure.unit(),
                    verbs.median(figure.value()),
                    ours.median(figure.value()));
        }

        double ratio() {
            return ours / verbs;
        }
    }

    /**
     * A figure that is taken from each run.
     *
     * @param id its name, for programs
     * @param unit its unit
     * @param value how to take it
     */
    public record Figure(String id, String unit, ToDoubleFunction<Measurement> value) {}

    @Override
    public void printText(PrintWriter out) {
        out.println(heading(title, device, rounds));
        out.println("                                            verbs         ours  of verbs");
        for (Row row : rows) {
            out.printf(
                    Locale.ROOT,
                    "%-36s%13.2f%13.2f    x %5.2f%n",
                    row.name + " [" + row.unit + "]",
                    row.verbs,
                    row.ours,
                    row.ratio());
        }
    }

    /**
     * {@return the first line of a table}
     *
     * @param title what was measured
     * @param device the device
     * @param rounds over how many rounds the medians are taken
     */
    public static String heading(String title, String device, int rounds) {
        return title + " between two processes on " + device + ", medians of " + rounds + " rounds";
    }

    @Override
    public void printJson(PrintWriter out) {
        JsonLine line =
                new JsonLine().text("test", test).text("device", device).whole("rounds", rounds);
        for (Row row : rows) {
            line.number(row.id + "_raw", row.verbs)
                    .number(row.id, row.ours)
                    .number(row.id + "_to_raw", row.ratio());
        }
        out.println(line);
    }
}
