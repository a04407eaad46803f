// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * What {@code bench stream} has measured: medians over the rounds.
 *
 * @param device the device
 * @param rounds how many rounds
 * @param echo round trips of a small message, in microseconds
 * @param write rates of long writes, in MiB per second
 * @param idle how many idle connections were made
 * @param idleClient resident bytes of one in the client; nothing if unknown
 * @param idleServer the same in the server
 */
record StreamFigures(
        String device,
        int rounds,
        Ways echo,
        Ways write,
        int idle,
        OptionalLong idleClient,
        OptionalLong idleServer) {
    private static final double KIB = 1024;

    /**
     * The four ways beside each other.
     *
     * @param bytes the length of a message or write
     * @param raw plain verbs
     * @param rdma the transport over RDMA
     * @param tcp the transport over TCP
     * @param netty plain Netty
     */
    record Ways(int bytes, double raw, double rdma, double tcp, double netty) {
        double rdmaToRaw() {
            return rdma / raw;
        }

        double tcpToNetty() {
            return tcp / netty;
        }
    }

    void print(PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "Streams between two processes on %s, medians of %d rounds%n",
                device,
                rounds);
        out.println(
                "                          verbs   stream  of verbs      TCP    Netty  of Netty");
        print(out, "echo " + echo.bytes() + " B [usec]", echo);
        print(out, "write " + write.bytes() + " B [MB/sec]", write);
        if (idle > 0) {
            out.printf(
                    Locale.ROOT,
                    "%d idle connections: %.1f KiB each in the client, %.1f KiB in the server%n",
                    idle,
                    idleClient.orElse(-1) / KIB,
                    idleServer.orElse(-1) / KIB);
        }
        out.flush();
    }

    private static void print(PrintWriter out, String name, Ways row) {
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

    void printJson(PrintWriter out) {
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
        out.flush();
    }
}
