// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.bench.measure.ComparisonReport;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.MessageSizes;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options that say how much {@code bench socket} and {@code bench mq} do. */
final class SocketSizes {
    private static final int WARMUP_SHARE = 10;
    private static final double MIB = 1 << 20;

    @Mixin private MessageSizes bytes;

    @Option(
            names = "--smalls",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Small messages per round. Default: 100000 round trips, or 1000000 one way.")
    private int smalls;

    @Option(
            names = "--larges",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Large messages per round (${DEFAULT-VALUE}).")
    private int larges;

    int smallBytes() {
        return bytes.smallBytes();
    }

    /**
     * {@return small messages per round}
     *
     * @param suitable the default
     */
    int smalls(int suitable) {
        return smalls > 0 ? smalls : suitable;
    }

    int largeBytes() {
        return bytes.largeBytes();
    }

    int larges() {
        return larges;
    }

    /** {@return the rate of large messages, by its name for programs} */
    ComparisonReport.Figure largeRate(String id) {
        return new ComparisonReport.Figure(
                id, "MB/sec", run -> run.messagesPerSecond() * largeBytes() / MIB);
    }

    /** {@return lanes that make a number of exchanges per run, and a tenth of it to warm up} */
    static List<Entry> entries(int count, Lane... lanes) {
        int warmup = Math.max(1, count / WARMUP_SHARE);
        return Arrays.stream(lanes).map(lane -> new Entry(lane, count, warmup)).toList();
    }
}
