// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import java.math.BigDecimal;
import java.math.MathContext;
import org.HdrHistogram.Histogram;

/** The lines that brpc's {@code rdma_performance} prints, to the letter. */
final class PerfLines {
    /** The default precision of a C++ stream. */
    private static final MathContext STREAM_DIGITS = new MathContext(6);

    private static final double MEBIBYTE = 1 << 20;

    private PerfLines() {}

    static String header(
            int threads, int depth, int attachmentBytes, boolean isRdma, boolean isEcho) {
        return "[Threads: "
                + threads
                + ", Depth: "
                + depth
                + ", Attachment: "
                + attachmentBytes
                + "B, RDMA: "
                + yesOrNo(isRdma)
                + ", Echo: "
                + yesOrNo(isEcho)
                + "]";
    }

    private static String yesOrNo(boolean value) {
        return value ? "yes" : "no";
    }

    static String result(PerfTally tally, int attachmentBytes, long tookNs) {
        Histogram latencies = tally.latencies();
        return "Avg-Latency: "
                + Math.round(latencies.getMean())
                + ", 90th-Latency: "
                + latencies.getValueAtPercentile(90)
                + ", 99th-Latency: "
                + latencies.getValueAtPercentile(99)
                + ", 99.9th-Latency: "
                + latencies.getValueAtPercentile(99.9)
                + ", Throughput: "
                + megabytes(tally, attachmentBytes, tookNs)
                + "MB/s, QPS: "
                + tally.calls() * 1_000_000 / Math.max(1, tookNs)
                + "k, Server CPU-utilization: "
                + tally.serverUsePercent()
                + "%, Client CPU-utilization: "
                + tally.clientUsePercent()
                + "%";
    }

    static String throughput(PerfTally tally, int attachmentBytes, long tookNs) {
        return " Throughput: " + megabytes(tally, attachmentBytes, tookNs) + "MB/s";
    }

    private static String megabytes(PerfTally tally, int attachmentBytes, long tookNs) {
        double bytes = (double) tally.calls() * attachmentBytes;
        return streamed(bytes / MEBIBYTE * 1e9 / Math.max(1, tookNs));
    }

    /** {@return a number as a C++ stream prints it, unless it is very small or very large} */
    static String streamed(double value) {
        BigDecimal rounded = new BigDecimal(value).round(STREAM_DIGITS).stripTrailingZeros();
        return rounded.toPlainString();
    }
}
