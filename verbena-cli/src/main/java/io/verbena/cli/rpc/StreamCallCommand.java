// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.ChildServer;
import io.verbena.tools.NodeOptions;
import io.verbena.tools.OptionRange;
import io.verbena.tools.PortConverter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena stream}: a server that echoes the messages of streams, and its client. */
@Command(
        name = "stream",
        description =
                "Send messages over a stream that a call opens; either side may be brpc's"
                        + " streaming_echo example.",
        subcommands = {StreamCallCommand.Serve.class, StreamCallCommand.Call.class})
public final class StreamCallCommand implements Runnable {
    @Spec private CommandSpec spec;

    /** A command that picocli fills in and runs. */
    public StreamCallCommand() {}

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }

    /** {@code verbena stream server}. */
    @Command(
            name = "server",
            description =
                    "Serve example.EchoService, which accepts streams and echoes their messages,"
                            + " until interrupted.")
    static final class Serve implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private NodeOptions socket;

        @Option(
                names = {"-p", "--port"},
                paramLabel = "PORT",
                converter = PortConverter.class,
                description =
                        "The port to listen on; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private int port = 8001;

        @Override
        public Integer call() throws InterruptedException {
            ServerOptions options = ServerOptions.DEFAULT.withSocketMode(socket.mode());
            try (RpcNode node = socket.open();
                    Server server = new Server(node).add(new StreamEcho())) {
                server.start(port, options);
                ChildServer.announce(spec.commandLine().getOut(), server.address().getPort());
                new CountDownLatch(1).await();
            }
            return 0;
        }
    }

    /** {@code verbena stream client}. */
    @Command(
            name = "client",
            description = "Send messages over a stream, and check the echo of each.")
    static final class Call implements Callable<Integer> {
        private static final int MAX_SIZE = 32 << 20;

        @Spec private CommandSpec spec;
        @Mixin private NodeOptions socket;

        @Parameters(
                arity = "0..1",
                paramLabel = "HOST:PORT",
                description = "The server. Default: ${DEFAULT-VALUE}.")
        private String address = "localhost:8001";

        @Option(
                names = {"-n", "--count"},
                paramLabel = "N",
                description = "How many messages to send. Default: ${DEFAULT-VALUE}.")
        private long count = 10;

        @Option(
                names = {"-s", "--size"},
                paramLabel = "BYTES",
                description = "How long each message is. Default: ${DEFAULT-VALUE}.")
        private int size = 64;

        @Option(
                names = "--no-echo",
                description = "Expect no echo: brpc's example server only prints.")
        private boolean isOneWay;

        @Option(
                names = "--timeout-ms",
                paramLabel = "MS",
                description =
                        "How long connecting, or opening the stream, may take. Default:"
                                + " ${DEFAULT-VALUE}.")
        private int timeoutMs = 5000;

        @Override
        public Integer call() throws InterruptedException {
            OptionRange.check(spec, "--count", count, 1, Long.MAX_VALUE);
            OptionRange.check(spec, "--size", size, 1, MAX_SIZE);
            OptionRange.check(spec, "--timeout-ms", timeoutMs, 1, Integer.MAX_VALUE);
            ChannelOptions options =
                    ChannelOptions.DEFAULT
                            .withSocketMode(socket.mode())
                            .withTimeoutMs(timeoutMs)
                            .withConnectTimeoutMs(timeoutMs);
            try (RpcNode node = socket.open();
                    Channel channel = Channel.open(node, address, options)) {
                new CheckedStream(spec.commandLine().getOut(), node, channel, size)
                        .run(count, !isOneWay);
            }
            return 0;
        }
    }
}
