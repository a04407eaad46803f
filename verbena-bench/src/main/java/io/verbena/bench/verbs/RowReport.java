// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.JsonLine;
import io.verbena.bench.measure.Report;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A row of a test. For people, it has the columns of perftest and, below them, a comparison with
 * the machine. For programs, it is an object in which round trips are complete: there and back for
 * a ping-pong, the operation for a read or an atomic, from a signaled post to its completion under
 * load for a bandwidth test; {@code mb} are mebibytes, as in perftest; what was not measured is
 * null.
 *
 * @param conditions the conditions of the measurement
 * @param row the row
 */
record RowReport(Conditions conditions, Row row) implements Report {
    private static final String BYTES = " %-10d %-12d";

    @Override
    public void printText(PrintWriter out) {
        if (conditions.plan().test().isLatency()) {
            latency(out);
            compareLatency(out);
        } else {
            bandwidth(out);
            compareBandwidth(out);
        }
    }

    private void latency(PrintWriter out) {
        // As perftest: one way for a ping-pong, the whole operation for a read or an atomic.
        double part = conditions.plan().test().isPingPong() ? 0.5 : 1;
        out.printf(
                Locale.ROOT,
                BYTES + "%-12.3f %-12.3f %-16.3f %-12.3f %-14.3f %-21.3f %.3f%n",
                row.bytes(),
                row.iterations(),
                row.minUs() * part,
                row.maxUs() * part,
                row.p50Us() * part,
                row.averageUs() * part,
                row.deviationUs() * part,
                row.p99Us() * part,
                row.p999Us() * part);
    }

    private void bandwidth(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                BYTES + "%-16.2f %-19.2f %.6f%n",
                row.bytes(),
                row.iterations(),
                row.peakMbPerSecond(),
                row.mbPerSecond(),
                row.messagesPerSecond() / 1e6);
    }

    private void compareLatency(PrintWriter out) {
        out.printf(Locale.ROOT, "   round trip p50 %.3f p99 %.3f us", row.p50Us(), row.p99Us());
        floor(out);
        row.floorUs()
                .ifPresent(
                        floor ->
                                out.printf(
                                        Locale.ROOT,
                                        " (p50 x %.2f, p99 x %.2f)",
                                        row.p50Us() / floor,
                                        row.p99Us() / floor));
        row.aloneP50Us()
                .ifPresent(
                        alone ->
                                out.printf(
                                        Locale.ROOT,
                                        "; without idle pairs p50 %.3f us (x %.2f)",
                                        alone,
                                        row.p50Us() / alone));
        out.printf(Locale.ROOT, "; memcpy %.0f MB/s%n", row.copyMbPerSecond());
        row.perftest()
                .ifPresent(
                        theirs ->
                                out.printf(
                                        Locale.ROOT,
                                        "   perftest round trip p50 %.3f us (ours x %.2f)%n",
                                        theirs,
                                        row.p50Us() / theirs));
    }

    private void compareBandwidth(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "   memcpy %.0f MB/s (BW average %.1f %%); post to completion p50 %.3f us",
                row.copyMbPerSecond(),
                100 * row.mbPerSecond() / row.copyMbPerSecond(),
                row.p50Us());
        floor(out);
        out.println();
        row.perftest()
                .ifPresent(
                        theirs ->
                                out.printf(
                                        Locale.ROOT,
                                        "   perftest BW average %.2f MB/s (ours x %.2f)%n",
                                        theirs,
                                        row.mbPerSecond() / theirs));
    }

    private void floor(PrintWriter out) {
        row.floorUs()
                .ifPresentOrElse(
                        floor ->
                                out.printf(
                                        Locale.ROOT,
                                        "; shared cache line p50 %.3f p99 %.3f us",
                                        floor,
                                        row.floorP99Us().orElseThrow()),
                        () -> out.print("; shared cache line n/a (the peer is on another host)"));
    }

    @Override
    public void printJson(PrintWriter out) {
        out.println(toJson());
    }

    /** {@return the object} */
    JsonLine toJson() {
        TestPlan plan = conditions.plan();
        OptionalDouble floor = row.floorUs();
        JsonLine line = new JsonLine();
        line.text("test", plan.test().id())
                .text("device", conditions.device())
                .whole("bytes", row.bytes())
                .whole("iterations", row.iterations())
                .whole("runs", plan.runs())
                .number("rtt_min_us", row.minUs())
                .number("rtt_p50_us", row.p50Us())
                .number("rtt_p99_us", row.p99Us())
                .number("rtt_p999_us", row.p999Us())
                .number("rtt_max_us", row.maxUs())
                .number("rtt_avg_us", row.averageUs())
                .number("rtt_stdev_us", row.deviationUs())
                .number("msgs_per_s", row.messagesPerSecond())
                .number("mb_per_s", row.mbPerSecond())
                .number("peak_mb_per_s", row.peakMbPerSecond())
                .number("floor_rtt_us", floor.orElse(Double.NaN))
                .number("floor_rtt_p99_us", row.floorP99Us().orElse(Double.NaN))
                .number("memcpy_mb_per_s", row.copyMbPerSecond())
                .number("p50_to_floor", row.p50Us() / floor.orElse(Double.NaN))
                .number("p99_to_floor", row.p99Us() / floor.orElse(Double.NaN))
                .number("bw_to_memcpy", row.mbPerSecond() / row.copyMbPerSecond())
                .text("memory", plan.memory().name().toLowerCase(Locale.ROOT))
                .text("completions", plan.events() ? "events" : "polling")
                .whole("tx_depth", plan.txDepth())
                .whole("rx_depth", plan.rxDepth())
                .whole("post_list", plan.postList())
                .whole("inline_bytes", conditions.inlineBytes())
                .whole("mtu", conditions.mtuBytes())
                .whole("idle_pairs", plan.idlePairs());
        row.perftest()
                .ifPresent(
                        theirs -> {
                            boolean isLatency = plan.test().isLatency();
                            double ours = isLatency ? row.p50Us() : row.mbPerSecond();
                            line.number(isLatency ? "perftest_rtt_us" : "perftest_mb_per_s", theirs)
                                    .number("to_perftest", ours / theirs);
                        });
        if (plan.idlePairs() > 0) {
            double alone = row.aloneP50Us().orElse(Double.NaN);
            line.number("alone_rtt_p50_us", alone)
                    .number("p50_to_alone", row.p50Us() / alone)
                    .whole("idle_pair_bytes_client", conditions.idleBytesClient())
                    .whole("idle_pair_bytes_server", conditions.idleBytesServer());
        }
        return line;
    }
}
