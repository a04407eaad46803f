// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.ComparisonReport;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.JsonLine;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.Report;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.ToDoubleFunction;

/**
 * The results of {@code bench stream}: medians over the rounds.
 *
 * @param device the device
 * @param rounds how many rounds
 * @param echo round trips of a small message, in microseconds
 * @param write rates of long writes, in MiB per second
 * @param idle how many idle connections were made
 * @param idleClient resident bytes of one idle connection in the client; nothing if unknown
 * @param idleServer the same in the server
 */
record StreamReport(
        String device,
        int rounds,
        Ways echo,
        Ways write,
        int idle,
        OptionalLong idleClient,
        OptionalLong idleServer)
        implements Report {
    private static final double KIB = 1024;

    /**
     * The four variants side by side.
     *
     * @param bytes the length of a message or write
     * @param raw plain verbs
     * @param rdma the transport over RDMA
     * @param tcp the transport over TCP
     * @param netty plain Netty
     */
    record Ways(int bytes, double raw, double rdma, double tcp, double netty) {
        /**
         * {@return the medians of each variant}
         *
         * @param bytes the length of a message or write
         * @param entries the four variants, in this order
         * @param figure what to take from each run
         */
        static Ways of(int bytes, List<Entry> entries, ToDoubleFunction<Measurement> figure) {
            return new Ways(
                    bytes,
                    entries.get(0).median(figure),
                    entries.get(1).median(figure),
                    entries.get(2).median(figure),
                    entries.get(3).median(figure));
        }

        double rdmaToRaw() {
            return rdma / raw;
        }

        double tcpToNetty() {
            return tcp / netty;
        }
    }

    @Override
    public void printText(PrintWriter out) {
        out.println(ComparisonReport.heading("Streams", device, rounds));
        out.println(
                "                          verbs   stream  of verbs      TCP    Netty  of Netty");
        printRow(out, "echo " + echo.bytes() + " B [usec]", echo);
        printRow(out, "write " + write.bytes() + " B [MB/sec]", write);
        if (idle > 0) {
            out.printf(
                    Locale.ROOT,
                    "%d idle connections: %.1f KiB each in the client, %.1f KiB in the server%n",
                    idle,
                    idleClient.orElse(-1) / KIB,
                    idleServer.orElse(-1) / KIB);
        }
    }

    private static void printRow(PrintWriter out, String name, Ways row) {
        out.printf(
                Locale.ROOT,
                "%-24s%8.2f %8.2f    x %5.2f %8.2f %8.2f    x %5.2f%n",
                name,
                row.raw(),
                row.rdma(),
                row.rdmaToRaw(),
                row.tcp(),
                row.netty(),
                row.tcpToNetty());
    }

    @Override
    public void printJson(PrintWriter out) {
        JsonLine line =
                new JsonLine()
                        .text("test", "stream")
                        .text("device", device)
                        .whole("rounds", rounds)
                        .whole("echo_bytes", echo.bytes())
                        .number("echo_raw_us", echo.raw())
                        .number("echo_rdma_us", echo.rdma())
                        .number("echo_rdma_to_raw", echo.rdmaToRaw())
                        .number("echo_tcp_us", echo.tcp())
                        .number("echo_netty_us", echo.netty())
                        .number("echo_tcp_to_netty", echo.tcpToNetty())
                        .whole("write_bytes", write.bytes())
                        .number("write_raw_mb_per_s", write.raw())
                        .number("write_rdma_mb_per_s", write.rdma())
                        .number("write_rdma_to_raw", write.rdmaToRaw())
                        .number("write_tcp_mb_per_s", write.tcp())
                        .number("write_netty_mb_per_s", write.netty())
                        .number("write_tcp_to_netty", write.tcpToNetty())
                        .whole("idle_connections", idle)
                        .whole("idle_bytes_client", idleClient)
                        .whole("idle_bytes_server", idleServer);
        out.println(line);
    }
}
