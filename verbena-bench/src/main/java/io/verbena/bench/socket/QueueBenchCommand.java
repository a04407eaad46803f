// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.ComparisonReport;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.RoundsOption;
import io.verbena.bench.verbs.TestKind;
import io.verbena.bench.verbs.VerbsLane;
import io.verbena.socket.MessageSender;
import io.verbena.socket.OutgoingMessage;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ParentWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench mq}: measures the message queue between two processes. */
@Command(
        name = "mq",
        description =
                "Measure the message queue, a receiver in one process and senders in another: the"
                        + " rate of small messages compared with send_bw, and of large ones"
                        + " compared with read_bw.")
public final class QueueBenchCommand implements Callable<Integer> {
    private static final int MESSAGES = 1_000_000;
    private static final int EAGER = 4 << 10;

    @Option(
            names = "--senders",
            paramLabel = "N",
            defaultValue = "1",
            description = "Senders in the other process (${DEFAULT-VALUE}).")
    private int senders;

    /** The receiver's port, which it passes to the senders that it starts. */
    @Option(names = "--port", hidden = true)
    private int port;

    @Mixin private BenchOptions options;

    @Mixin private RoundsOption rounds;

    @Mixin private SocketSizes sizes;

    /** A command that picocli fills in and runs. */
    public QueueBenchCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (options.isChild()) {
            send();
        } else {
            measure();
        }
        return 0;
    }

    private void send() throws InterruptedException {
        ParentWatch.start();
        SocketStack stack = SocketStack.open(options.device(), SocketOptions.DEFAULT);
        CountDownLatch done = new CountDownLatch(senders);
        for (int i = 0; i < senders; i++) {
            int nodeId = i;
            Thread.ofPlatform()
                    .name("bench-sender-" + i)
                    .daemon(true)
                    .start(
                            () -> {
                                sendForEver(stack, nodeId);
                                done.countDown();
                            });
        }
        done.await();
        stack.close();
    }

    private void sendForEver(SocketStack stack, int nodeId) {
        InetSocketAddress receiver = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        int bytes = sizes.smallBytes();
        ByteBuffer message = ByteBuffer.allocateDirect(bytes);
        try (MessageSender sender = MessageSender.connect(stack, receiver, nodeId)) {
            while (true) {
                if (bytes <= EAGER) {
                    sender.send(message.clear());
                } else {
                    try (OutgoingMessage outgoing = sender.prepare(bytes)) {
                        outgoing.send();
                    }
                }
            }
        } catch (IOException e) {
            // the receiver has enough messages, and closes
            options.err().flush();
        }
    }

    private void measure() throws IOException, InterruptedException {
        try (SocketStack stack = SocketStack.open(options.device(), SocketOptions.DEFAULT)) {
            List<ComparisonReport.Row> rows =
                    List.of(
                            compare(
                                    stack,
                                    TestKind.SEND_BW,
                                    sizes.smallBytes(),
                                    sizes.smalls(MESSAGES),
                                    new ComparisonReport.Figure(
                                            "small_per_s",
                                            "msg/sec",
                                            Measurement::messagesPerSecond)),
                            compare(
                                    stack,
                                    TestKind.READ_BW,
                                    sizes.largeBytes(),
                                    sizes.larges(),
                                    sizes.largeRate("large_mb_per_s")));
            options.print(
                    new ComparisonReport(
                            "mq",
                            "Message queue",
                            stack.deviceName(),
                            rounds.plan().rounds(),
                            rows));
        }
    }

    private ComparisonReport.Row compare(
            SocketStack stack, TestKind test, int bytes, int count, ComparisonReport.Figure figure)
            throws IOException, InterruptedException {
        try (VerbsLane verbs = new VerbsLane(test, bytes, options);
                QueueLane queue = new QueueLane(stack, options, bytes, senders)) {
            List<Entry> entries = SocketSizes.entries(count, verbs, queue);
            rounds.plan().run(entries);
            return ComparisonReport.Row.of(
                    "messages of " + bytes + " B", figure, entries.getFirst(), entries.getLast());
        }
    }
}
