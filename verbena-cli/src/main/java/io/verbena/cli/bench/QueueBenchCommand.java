// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ParentWatch;
import io.verbena.socket.MessageSender;
import io.verbena.socket.OutgoingMessage;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena bench mq}: measures the message queue between two processes. */
@Command(
        name = "mq",
        description =
                "Measure the message queue, a receiver in one process and senders in another: rates of"
                        + " small messages beside send_bw, and of large ones beside read_bw.")
public final class QueueBenchCommand implements Callable<Integer> {
    private static final int MESSAGES = 1_000_000;
    private static final int EAGER = 4 << 10;
    private static final double MIB = 1 << 20;

    @Option(
            names = {"-d", "--ib-dev", "--device"},
            paramLabel = "DEVICE",
            defaultValue = "",
            description =
                    "The device. Default: hardware if there is any, else the software device.")
    private String device;

    @Option(
            names = "--senders",
            paramLabel = "N",
            defaultValue = "1",
            description = "Senders in the other process (${DEFAULT-VALUE}).")
    private int senders;

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    /** Given by a receiver to the senders it starts. */
    @Option(names = "--child", hidden = true)
    private boolean child;

    @Option(names = "--port", hidden = true)
    private int port;

    @Mixin private SocketSizes sizes;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        return child ? send() : measure();
    }

    private int send() throws InterruptedException {
        ParentWatch.start();
        SocketStack stack = SocketStack.open(device, SocketOptions.DEFAULT);
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
        return 0;
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
            // the receiver has had enough, and says so by going away
            spec.commandLine().getErr().flush();
        }
    }

    private int measure() throws IOException, InterruptedException {
        try (SocketStack stack = SocketStack.open(device, SocketOptions.DEFAULT)) {
            List<Comparison> rows =
                    List.of(
                            compare(
                                    stack,
                                    TestKind.SEND_BW,
                                    sizes.smallBytes(),
                                    sizes.smalls(MESSAGES),
                                    "small_per_s",
                                    "msg/sec",
                                    1),
                            compare(
                                    stack,
                                    TestKind.READ_BW,
                                    sizes.largeBytes(),
                                    sizes.larges(),
                                    "large_mb_per_s",
                                    "MB/sec",
                                    sizes.largeBytes() / MIB));
            PrintWriter out = spec.commandLine().getOut();
            if (json) {
                Comparison.printJson("mq", stack.deviceName(), sizes.rounds(), rows, out);
            } else {
                Comparison.print("Message queue", stack.deviceName(), sizes.rounds(), rows, out);
            }
        }
        return 0;
    }

    private Comparison compare(
            SocketStack stack,
            TestKind test,
            int bytes,
            int count,
            String id,
            String unit,
            double factor)
            throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        try (RawLane raw = new RawLane(test, bytes, device, err);
                QueueLane queue = new QueueLane(stack, device, bytes, senders, err)) {
            double[] medians =
                    Comparison.medians(
                            List.of(way(raw, count, factor), way(queue, count, factor)), sizes);
            return new Comparison("messages of " + bytes + " B", id, unit, medians[0], medians[1]);
        }
    }

    private static Comparison.Way way(StreamLane lane, int count, double factor) {
        return new Comparison.Way(lane, count, run -> run.messagesPerSecond() * factor);
    }
}
