// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * A figure of ours beside the same of plain verbs, from rounds in which both took turns: noise of
 * the machine hits both alike.
 *
 * @param name what was done, for people
 * @param id the same, for programs
 * @param unit of both figures
 * @param raw plain verbs
 * @param ours the layer above
 */
record Comparison(String name, String id, String unit, double raw, double ours) {
    /** A lane and how its runs are read. */
    record Way(StreamLane lane, int count, ToDoubleFunction<Measurement> figure) {
        double measure() {
            return figure.applyAsDouble(lane.run(count));
        }

        void warmUp(int times) {
            for (int i = 0; i < times; i++) {
                lane.run(Math.max(1, count / 10));
            }
        }
    }

    double ratio() {
        return ours / raw;
    }

    /** {@return medians: of plain verbs first, then of each other way} */
    static double[] medians(List<Way> ways, SocketSizes sizes) {
        double[][] seen = new double[ways.size()][sizes.rounds()];
        ways.forEach(way -> way.warmUp(sizes.warmups()));
        for (int round = 0; round < sizes.rounds(); round++) {
            for (int i = 0; i < seen.length; i++) {
                seen[i][round] = ways.get(i).measure();
            }
        }
        double[] medians = new double[seen.length];
        for (int i = 0; i < seen.length; i++) {
            medians[i] = Row.median(seen[i]);
        }
        return medians;
    }

    static void print(
            String title, String device, int rounds, List<Comparison> rows, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%s between two processes on %s, medians of %d rounds%n",
                title,
                device,
                rounds);
        out.println("                                            verbs         ours  of verbs");
        for (Comparison row : rows) {
            out.printf(
                    Locale.ROOT,
                    "%-36s%13.2f%13.2f    x %5.2f%n",
                    row.name + " [" + row.unit + "]",
                    row.raw,
                    row.ours,
                    row.ratio());
        }
        out.flush();
    }

    static void printJson(
            String test, String device, int rounds, List<Comparison> rows, PrintWriter out) {
        JsonLine line =
                new JsonLine().text("test", test).text("device", device).whole("rounds", rounds);
        for (Comparison row : rows) {
            line.number(row.id + "_raw", row.raw)
                    .number(row.id, row.ours)
                    .number(row.id + "_to_raw", row.ratio());
        }
        out.println(line);
        out.flush();
    }
}
