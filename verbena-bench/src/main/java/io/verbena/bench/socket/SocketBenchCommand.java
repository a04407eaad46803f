// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.ComparisonReport;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.RoundsOption;
import io.verbena.bench.verbs.TestKind;
import io.verbena.bench.verbs.VerbsLane;
import io.verbena.socket.RdmaServerSocket;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ChildServer;
import io.verbena.tools.ParentWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code verbena bench socket}: measures sockets between two processes, compared with plain verbs.
 */
@Command(
        name = "socket",
        description =
                "Measure sockets between two processes: round trips of small messages compared"
                        + " with send_lat, and large messages, with and without a copy on either"
                        + " side, compared with read_bw.")
public final class SocketBenchCommand implements Callable<Integer> {
    private static final int ECHOES = 100_000;
    private static final double NS_PER_US = 1e3;

    @Mixin private BenchOptions options;

    @Mixin private RoundsOption rounds;

    @Mixin private SocketSizes sizes;

    /** A command that picocli fills in and runs. */
    public SocketBenchCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (options.isChild()) {
            serve();
        } else {
            measure();
        }
        return 0;
    }

    private void serve() throws IOException {
        ParentWatch.start();
        try (SocketStack stack = SocketStack.open(options.device(), SocketOptions.DEFAULT);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, anyPort())) {
            ChildServer.announce(options.out(), server.localAddress().getPort());
            // ends with its parent
            while (true) {
                Thread.ofPlatform()
                        .name("bench-socket")
                        .daemon(true)
                        .start(new SocketService(server.accept()));
            }
        }
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private void measure() throws IOException, InterruptedException {
        try (ChildServer server = options.startServer("socket");
                SocketStack stack = SocketStack.open(options.device(), SocketOptions.DEFAULT)) {
            InetSocketAddress address =
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), server.awaitPort());
            List<ComparisonReport.Row> rows = new ArrayList<>();
            rows.add(measureEcho(stack, address));
            rows.addAll(measureLarge(stack, address));
            options.print(
                    new ComparisonReport(
                            "socket", "Sockets", stack.deviceName(), rounds.plan().rounds(), rows));
        }
    }

    private ComparisonReport.Row measureEcho(SocketStack stack, InetSocketAddress server)
            throws IOException, InterruptedException {
        int bytes = sizes.smallBytes();
        int count = sizes.smalls(ECHOES);
        try (VerbsLane verbs = new VerbsLane(TestKind.SEND_LAT, bytes, options);
                SocketLane echo = new SocketLane(stack, server, SocketOrder.Task.ECHO, bytes)) {
            List<Entry> entries = SocketSizes.entries(count, verbs, echo);
            rounds.plan().run(entries);
            return ComparisonReport.Row.of(
                    "round trip of " + bytes + " B",
                    new ComparisonReport.Figure(
                            "echo_us", "usec", run -> run.medianNs() / NS_PER_US),
                    entries.getFirst(),
                    entries.getLast());
        }
    }

    private List<ComparisonReport.Row> measureLarge(SocketStack stack, InetSocketAddress server)
            throws IOException, InterruptedException {
        int bytes = sizes.largeBytes();
        try (VerbsLane verbs = new VerbsLane(TestKind.READ_BW, bytes, options);
                SocketLane look = new SocketLane(stack, server, SocketOrder.Task.LOOK, bytes);
                SocketLane copy = new SocketLane(stack, server, SocketOrder.Task.COPY, bytes)) {
            List<Entry> entries = SocketSizes.entries(sizes.larges(), verbs, look, copy);
            rounds.plan().run(entries);
            String name = bytes + " B, ";
            return List.of(
                    ComparisonReport.Row.of(
                            name + "no copy",
                            sizes.largeRate("large_mb_per_s"),
                            entries.getFirst(),
                            entries.get(1)),
                    ComparisonReport.Row.of(
                            name + "copied",
                            sizes.largeRate("large_copied_mb_per_s"),
                            entries.getFirst(),
                            entries.get(2)));
        }
    }
}
