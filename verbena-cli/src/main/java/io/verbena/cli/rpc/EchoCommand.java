// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.ChildServer;
import io.verbena.tools.EchoResponder;
import io.verbena.tools.NodeOptions;
import io.verbena.tools.OptionRange;
import io.verbena.tools.PortConverter;
import io.verbena.tools.TlsOptions;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena echo}: a server that echoes requests, and its client. */
@Command(
        name = "echo",
        description =
                "Call a service that echoes what it receives; either side may be brpc's echo"
                        + " example.",
        subcommands = {EchoCommand.Serve.class, EchoCommand.Call.class})
public final class EchoCommand implements Runnable {
    @Spec private CommandSpec spec;

    /** A command that picocli fills in and runs. */
    public EchoCommand() {}

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }

    /** {@code verbena echo server}. */
    @Command(name = "server", description = "Serve example.EchoService until interrupted.")
    static final class Serve implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private NodeOptions socket;
        @Mixin private TlsOptions tls;

        @Option(
                names = {"-p", "--port"},
                paramLabel = "PORT",
                converter = PortConverter.class,
                description =
                        "The port to listen on; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private int port = 8000;

        @Override
        public Integer call() throws InterruptedException {
            ServerOptions options = tls.server(ServerOptions.DEFAULT.withSocketMode(socket.mode()));
            try (RpcNode node = socket.open();
                    Server server = new Server(node).add(new EchoResponder())) {
                server.start(port, options);
                introduce(node, server.address().getPort());
                new CountDownLatch(1).await();
            }
            return 0;
        }

        private void introduce(RpcNode node, int listening) {
            PrintWriter out = spec.commandLine().getOut();
            String device = node.deviceName();
            out.println("device: " + (device.isEmpty() ? "none, only TCP" : device));
            out.println("pages: http://localhost:" + listening + "/");
            ChildServer.announce(out, listening);
        }
    }

    /** {@code verbena echo client}. */
    @Command(name = "client", description = "Call a server and check its answers.")
    static final class Call implements Callable<Integer> {
        private static final int MAX_ATTACHMENT = 32 << 20;

        @Spec private CommandSpec spec;
        @Mixin private NodeOptions socket;
        @Mixin private TlsOptions tls;

        @Parameters(
                arity = "0..1",
                paramLabel = "HOST:PORT",
                description = "The server. Default: ${DEFAULT-VALUE}.")
        private String address = "localhost:8000";

        @Option(
                names = {"-n", "--count"},
                paramLabel = "N",
                description = "How many calls to make. Default: ${DEFAULT-VALUE}.")
        private long count = 1;

        @Option(
                names = {"-m", "--message"},
                paramLabel = "TEXT",
                description = "What to send. Default: ${DEFAULT-VALUE}.")
        private String message = "hello";

        @Option(
                names = "--attachment-size",
                paramLabel = "BYTES",
                description = "How many bytes to attach. Default: ${DEFAULT-VALUE}.")
        private int attachmentSize;

        @Option(
                names = "--timeout-ms",
                paramLabel = "MS",
                description =
                        "How long a call, or connecting, may take. Default: ${DEFAULT-VALUE}.")
        private int timeoutMs = 5000;

        @Override
        public Integer call() {
            OptionRange.check(spec, "--count", count, 1, Long.MAX_VALUE);
            OptionRange.check(spec, "--attachment-size", attachmentSize, 0, MAX_ATTACHMENT);
            OptionRange.check(spec, "--timeout-ms", timeoutMs, 1, Integer.MAX_VALUE);
            ChannelOptions options =
                    ChannelOptions.DEFAULT
                            .withSocketMode(socket.mode())
                            .withTimeoutMs(timeoutMs)
                            .withConnectTimeoutMs(timeoutMs);
            try (RpcNode node = socket.open();
                    Channel channel = Channel.open(node, address, tls.channel(options))) {
                new EchoCaller(spec.commandLine().getOut(), channel, message, attachmentSize)
                        .run(count);
            }
            return 0;
        }
    }
}
