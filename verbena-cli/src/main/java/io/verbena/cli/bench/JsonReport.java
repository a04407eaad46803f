// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * Prints one JSON object per row, on a line of its own. Round trips are whole ones: there and back
 * for a ping-pong, the operation for a read or an atomic, from a signaled post to its completion
 * under load for a bandwidth test. {@code mb} are mebibytes, as in perftest. What was not measured
 * is null.
 */
final class JsonReport implements Report {
    private final PrintWriter out;

    JsonReport(PrintWriter out) {
        this.out = out;
    }

    @Override
    public void begin(Setting setting) {
        // Every row says all.
    }

    @Override
    public void row(Setting setting, Row row) {
        out.println(format(setting, row));
        out.flush();
    }

    @Override
    public void end() {
        out.flush();
    }

    static String format(Setting setting, Row row) {
        Plan plan = setting.plan();
        OptionalDouble floor = row.floorUs();
        JsonLine line = new JsonLine();
        line.text("test", plan.test().id())
                .text("device", setting.device())
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
                .whole("inline_bytes", setting.inlineBytes())
                .whole("mtu", setting.mtuBytes())
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
                    .whole("idle_pair_bytes_client", setting.idleBytesClient())
                    .whole("idle_pair_bytes_server", setting.idleBytesServer());
        }
        return line.toString();
    }
}
