// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.perf;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.tools.ChildServer;
import io.verbena.tools.LocalNode;
import io.verbena.tools.TlsOptions;
import io.verbena.transport.Flag;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena perf}: brpc's {@code rdma_performance}. */
@Command(
        name = "perf",
        description =
                "Measure calls as brpc's rdma_performance does; either side may be that program.",
        subcommands = {PerfCommand.Serve.class, PerfCommand.Measure.class})
public final class PerfCommand implements Runnable {
    @Spec private CommandSpec spec;

    /** A command that picocli fills in and runs. */
    public PerfCommand() {}

    /**
     * Makes the command accept flags as brpc's programs do. Call this once it is a subcommand.
     *
     * @param command this command
     */
    public static void takeFlags(CommandLine command) {
        command.setPosixClusteredShortOptionsAllowed(false)
                .setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }

    private static Properties parse(CommandSpec spec, List<String> arguments, Flag... flags)
            throws IOException {
        try {
            return new Gflags(flags).parse(arguments);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** {@code verbena perf server}. */
    @Command(
            name = "server",
            description = {
                "Serve test.PerfTestService until interrupted.",
                "Flags: -port=8002, -use_rdma=true, and those of the transport, such as"
                        + " -rdma_device=NAME."
            })
    static final class Serve implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private TlsOptions tls;

        @Parameters(paramLabel = "-FLAG=VALUE", hidden = true)
        private List<String> arguments = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException, IOException {
            Properties values = parse(spec, arguments, ServerFlag.values());
            SocketMode mode =
                    (Boolean) Gflags.value(values, ServerFlag.USE_RDMA)
                            ? SocketMode.RDMA
                            : SocketMode.TCP;
            int port = Math.toIntExact((Long) Gflags.value(values, ServerFlag.PORT));
            try (RpcNode node = LocalNode.open(mode, values);
                    Server server = new Server(node).add(new PerfResponder())) {
                server.start(port, tls.server(ServerOptions.DEFAULT.withSocketMode(mode)));
                ChildServer.announce(spec.commandLine().getOut(), server.address().getPort());
                new CountDownLatch(1).await();
            }
            return 0;
        }
    }

    /** {@code verbena perf client}. */
    @Command(
            name = "client",
            description = {
                "Call test.PerfTestService as fast as possible, and print latencies and throughput.",
                "Flags: -servers=HOST:PORT+HOST:PORT, -use_rdma=true, -thread_num=0 (tries 1, 2, 4"
                        + " up to -max_thread_num=16), -queue_depth=1, -attachment_size=-1 (tries 1,"
                        + " 4 up to 1024), -echo_attachment=false, -test_seconds=20,"
                        + " -test_iterations=0, -expected_qps=0, -rpc_timeout_ms=2000,"
                        + " -connection_type=single, -protocol=baidu_std, -dummy_port=8001, and those"
                        + " of the transport, such as -rdma_device=NAME."
            })
    static final class Measure implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private TlsOptions tls;

        @Parameters(paramLabel = "-FLAG=VALUE", hidden = true)
        private List<String> arguments = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException, IOException {
            PerfSettings settings =
                    new PerfSettings(parse(spec, arguments, ClientFlag.values()), tls::channel);
            try (RpcNode node = LocalNode.open(settings.mode(), settings.values());
                    Server _ = dummyServer(node, settings.dummyPort())) {
                runAll(node, settings);
            }
            return 0;
        }

        private void runAll(RpcNode node, PerfSettings settings) throws InterruptedException {
            int channels = 0;
            for (int size : settings.attachmentSizes()) {
                for (int threads : settings.threads()) {
                    CommandLine command = spec.commandLine();
                    new PerfRun(command.getOut(), command.getErr(), settings, node, threads, size)
                            .run(channels);
                    channels += threads;
                }
            }
        }

        /** A server without services, only for its pages. As in brpc, the test works without it. */
        private Server dummyServer(RpcNode node, int port) {
            Server server = new Server(node);
            try {
                return server.start(port, ServerOptions.DEFAULT);
            } catch (TransportException e) {
                spec.commandLine()
                        .getErr()
                        .println("dummy_port: " + port + " is not available: " + e.getMessage());
                return server;
            }
        }
    }
}
