// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.streaming;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.ComparisonReport;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.MessageSizes;
import io.verbena.bench.measure.RoundsOption;
import io.verbena.bench.verbs.TestKind;
import io.verbena.bench.verbs.VerbsLane;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.ChildServer;
import io.verbena.tools.ParentWatch;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench streaming}: measures streams of RPC between two processes. */
@Command(
        name = "streaming",
        description =
                "Measure streams that calls open, a writer in one process and the reader in"
                        + " another: one stream of small messages, one of large ones, and many streams"
                        + " on one connection, each compared with send_bw.")
public final class StreamingCommand implements Callable<Integer> {
    private static final double MIB = 1 << 20;

    @Mixin private MessageSizes bytes;

    @Option(
            names = "--smalls",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "Small messages per round (${DEFAULT-VALUE}).")
    private int smalls;

    @Option(
            names = "--larges",
            paramLabel = "N",
            defaultValue = "10000",
            description = "Large messages per round (${DEFAULT-VALUE}).")
    private int larges;

    @Option(
            names = "--streams",
            paramLabel = "N",
            defaultValue = "1000",
            description = "Streams on one connection (${DEFAULT-VALUE}).")
    private int streams;

    @Mixin private BenchOptions options;

    @Mixin private RoundsOption rounds;

    /** A command that picocli fills in and runs. */
    public StreamingCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        if (options.isChild()) {
            serve();
        } else {
            measure();
        }
        return 0;
    }

    private RpcNode node() {
        Properties flags = new Properties();
        System.getProperties().forEach(flags::put);
        if (!options.device().isEmpty()) {
            flags.setProperty("rdma_device", options.device());
        }
        return RpcNode.open(SocketMode.RDMA, flags);
    }

    private void serve() throws InterruptedException {
        ParentWatch.start();
        try (RpcNode node = node();
                Server server = new Server(node).add(new StreamWriters(node))) {
            server.start(0, ServerOptions.DEFAULT.withSocketMode(SocketMode.RDMA));
            ChildServer.announce(options.out(), server.address().getPort());
            // ends with its parent
            new CountDownLatch(1).await();
        }
    }

    private void measure() throws InterruptedException {
        try (ChildServer server = options.startServer("streaming");
                RpcNode node = node()) {
            int port = server.awaitPorts().getFirst();
            List<ComparisonReport.Row> rows = new ArrayList<>();
            rows.add(
                    compare(
                            bytes.smallBytes(),
                            smalls,
                            "one stream, messages of " + bytes.smallBytes() + " B",
                            rate("small_per_s"),
                            new StreamLane(node, port, bytes.smallBytes(), 1)));
            rows.add(
                    compare(
                            bytes.largeBytes(),
                            larges,
                            "one stream, messages of " + bytes.largeBytes() + " B",
                            new ComparisonReport.Figure(
                                    "large_mb_per_s",
                                    "MB/sec",
                                    run -> run.messagesPerSecond() * bytes.largeBytes() / MIB),
                            new StreamLane(node, port, bytes.largeBytes(), 1)));
            rows.add(
                    compare(
                            bytes.smallBytes(),
                            smalls,
                            streams + " streams, messages of " + bytes.smallBytes() + " B",
                            rate("many_per_s"),
                            new StreamLane(node, port, bytes.smallBytes(), streams)));
            options.print(
                    new ComparisonReport(
                            "streaming",
                            "Streaming",
                            node.deviceName(),
                            rounds.plan().rounds(),
                            rows));
        }
    }

    private static ComparisonReport.Figure rate(String id) {
        return new ComparisonReport.Figure(id, "msg/sec", Measurement::messagesPerSecond);
    }

    private ComparisonReport.Row compare(
            int bytes, int count, String name, ComparisonReport.Figure figure, Lane streaming)
            throws InterruptedException {
        try (streaming;
                VerbsLane verbs = new VerbsLane(TestKind.SEND_BW, bytes, options)) {
            int warmup = Math.max(1, count / 10);
            Entry raw = new Entry(verbs, count, warmup);
            Entry ours = new Entry(streaming, count, warmup);
            rounds.plan().run(List.of(raw, ours));
            return ComparisonReport.Row.of(name, figure, raw, ours);
        }
    }
}
