// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ChildProcess;
import io.verbena.cli.ParentWatch;
import io.verbena.socket.RdmaServerSocket;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena bench socket}: measures sockets between two processes, beside plain verbs. */
@Command(
        name = "socket",
        description =
                "Measure sockets between two processes: round trips of small messages beside send_lat,"
                        + " and large messages, without and with a copy on either side, beside"
                        + " read_bw.")
public final class SocketBenchCommand implements Callable<Integer> {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final int ECHOES = 100_000;
    private static final double NS_PER_US = 1e3;
    private static final double MIB = 1 << 20;

    @Option(
            names = {"-d", "--ib-dev", "--device"},
            paramLabel = "DEVICE",
            defaultValue = "",
            description =
                    "The device. Default: hardware if there is any, else the software device.")
    private String device;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Given by a client to the server it starts. */
    @Option(names = "--child", hidden = true)
    private boolean child;

    @Mixin private SocketSizes sizes;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        return child ? serve() : measure();
    }

    private int serve() throws IOException {
        ParentWatch.start();
        try (SocketStack stack = SocketStack.open(device, SocketOptions.DEFAULT);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, anyPort())) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(BenchCommand.LISTENING + server.localAddress().getPort());
            out.flush();
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

    private int measure() throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        List<String> arguments = new ArrayList<>(List.of("bench", "socket", "--child"));
        if (!device.isEmpty()) {
            arguments.addAll(List.of("-d", device));
        }
        try (ChildProcess server =
                        ChildProcess.start(
                                "socket",
                                arguments,
                                line -> BenchCommand.printUnlessExpected(err, line));
                SocketStack stack = SocketStack.open(device, SocketOptions.DEFAULT)) {
            int port =
                    Integer.parseInt(server.awaitLine(BenchCommand.LISTENING, START_LIMIT).strip());
            report(stack, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        return 0;
    }

    private void report(SocketStack stack, InetSocketAddress server)
            throws IOException, InterruptedException {
        List<Comparison> rows = new ArrayList<>();
        rows.add(measureEcho(stack, server));
        rows.addAll(measureLarge(stack, server));
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            Comparison.printJson("socket", stack.deviceName(), sizes.rounds(), rows, out);
        } else {
            Comparison.print("Sockets", stack.deviceName(), sizes.rounds(), rows, out);
        }
    }

    private Comparison measureEcho(SocketStack stack, InetSocketAddress server)
            throws IOException, InterruptedException {
        int bytes = sizes.smallBytes();
        int count = sizes.smalls(ECHOES);
        try (RawLane raw = new RawLane(TestKind.SEND_LAT, bytes, device, err());
                SocketLane echo = new SocketLane(stack, server, SocketOrder.Task.ECHO, bytes)) {
            double[] medians =
                    Comparison.medians(
                            List.of(
                                    new Comparison.Way(raw, count, m -> m.medianNs() / NS_PER_US),
                                    new Comparison.Way(echo, count, m -> m.medianNs() / NS_PER_US)),
                            sizes);
            return new Comparison(
                    "round trip of " + bytes + " B", "echo_us", "usec", medians[0], medians[1]);
        }
    }

    private List<Comparison> measureLarge(SocketStack stack, InetSocketAddress server)
            throws IOException, InterruptedException {
        int bytes = sizes.largeBytes();
        int count = sizes.larges();
        try (RawLane raw = new RawLane(TestKind.READ_BW, bytes, device, err());
                SocketLane look = new SocketLane(stack, server, SocketOrder.Task.LOOK, bytes);
                SocketLane copy = new SocketLane(stack, server, SocketOrder.Task.COPY, bytes)) {
            double[] medians =
                    Comparison.medians(
                            List.of(way(raw, count), way(look, count), way(copy, count)), sizes);
            String name = bytes + " B, ";
            return List.of(
                    new Comparison(
                            name + "no copy", "large_mb_per_s", "MB/sec", medians[0], medians[1]),
                    new Comparison(
                            name + "copied",
                            "large_copied_mb_per_s",
                            "MB/sec",
                            medians[0],
                            medians[2]));
        }
    }

    private Comparison.Way way(StreamLane lane, int count) {
        return new Comparison.Way(
                lane, count, run -> run.messagesPerSecond() * sizes.largeBytes() / MIB);
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
