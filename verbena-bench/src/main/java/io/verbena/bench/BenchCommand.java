// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.socket.QueueBenchCommand;
import io.verbena.bench.socket.SocketBenchCommand;
import io.verbena.bench.stream.StreamCommand;
import io.verbena.bench.streaming.StreamingCommand;
import io.verbena.bench.verbs.LocalPort;
import io.verbena.bench.verbs.Perftest;
import io.verbena.bench.verbs.TestKind;
import io.verbena.bench.verbs.TestPlan;
import io.verbena.bench.verbs.TestPlanOptions;
import io.verbena.bench.verbs.VerbsSide;
import io.verbena.tools.ChildServer;
import io.verbena.tools.ParentWatch;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code verbena bench}: measures latency or bandwidth between two processes. */
@Command(
        name = "bench",
        subcommands = {
            StreamCommand.class,
            SocketBenchCommand.class,
            QueueBenchCommand.class,
            StreamingCommand.class
        },
        description = {
            "Measure latency and bandwidth between two processes, with the options and columns of"
                    + " perftest, and compare with what the machine itself can do: two processes"
                    + " that spin on a shared cache line, and a plain memory copy.",
            "Starts its own server unless --connect or --listen is given."
        })
public final class BenchCommand implements Callable<Integer> {
    private static final String DEFAULT_PORT = "18515";

    @Parameters(
            paramLabel = "TEST",
            arity = "0..1",
            converter = KindConverter.class,
            description =
                    "send_lat, send_bw, write_lat, write_bw, read_lat, read_bw or atomic_lat; for"
                            + " the layers above verbs, see verbena bench stream, socket, mq or"
                            + " streaming --help.")
    private Optional<TestKind> test = Optional.empty();

    @Option(
            names = {"-i", "--ib-port"},
            paramLabel = "PORT",
            defaultValue = "1",
            description = "The device's port (${DEFAULT-VALUE}).")
    private int devicePort;

    @Option(
            names = {"-x", "--gid-index"},
            paramLabel = "INDEX",
            defaultValue = "-1",
            description =
                    "Which global identifier of the port. Default: one that matches an address of"
                            + " this host.")
    private int gidIndex;

    @Option(names = "--listen", description = "Be the server for one client, then end.")
    private boolean listen;

    @Option(
            names = "--connect",
            paramLabel = "HOST",
            defaultValue = "",
            description = "Be the client of a server on that host.")
    private String host;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            defaultValue = DEFAULT_PORT,
            description = "TCP port that the two sides use to connect (${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--perftest",
            description =
                    "Run perftest's program for the same test after each run, on the same device of"
                            + " this host, and print the ratio.")
    private boolean comparePerftest;

    @Option(
            names = "--server-cpu",
            paramLabel = "CPU",
            defaultValue = "-1",
            description =
                    "Run the server that this command starts, and perftest's, on this processor"
                            + " only. To choose the client's, start this command with taskset.")
    private int serverCpu;

    @Mixin private BenchOptions options;

    @Mixin private TestPlanOptions planOptions;

    @Spec private CommandSpec spec;

    /** A command that picocli fills in and runs. */
    public BenchCommand() {}

    @Override
    public Integer call() throws IOException, InterruptedException {
        TestKind kind =
                test.orElseThrow(
                        () -> wrong("Missing required parameter: 'TEST', or: stream, socket, mq"));
        if (listen && !host.isEmpty()) {
            throw wrong("--listen excludes --connect");
        }
        if (listen) {
            return serve(kind);
        }
        TestPlan plan = plan(kind);
        if (!host.isEmpty()) {
            measure(plan, new InetSocketAddress(host, port), "the server at " + host);
            return 0;
        }
        try (ChildServer server = ChildServer.start("server", serverCommand(kind), options.err())) {
            InetAddress loopback = InetAddress.getLoopbackAddress();
            measure(
                    plan,
                    new InetSocketAddress(loopback, server.awaitPort()),
                    "the server process");
        }
        return 0;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private TestPlan plan(TestKind kind) {
        try {
            return planOptions.toPlan(kind);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private List<String> serverCommand(TestKind kind) {
        List<String> command = new ArrayList<>(serverPrefix());
        command.addAll(
                options.childCommand(
                        kind.id(),
                        List.of("--listen", "-i", "" + devicePort, "-x", "" + gidIndex)));
        return command;
    }

    private List<String> serverPrefix() {
        return serverCpu < 0 ? List.of() : List.of("taskset", "-c", Integer.toString(serverCpu));
    }

    private VerbsSide side() {
        return new VerbsSide(new LocalPort(options.device(), devicePort, gidIndex));
    }

    private void measure(TestPlan plan, InetSocketAddress server, String name) {
        Optional<Perftest> perftest =
                comparePerftest
                        ? Optional.of(new Perftest(plan, port + 1, serverPrefix()))
                        : Optional.empty();
        side().measure(plan, server, name, perftest, options::print);
    }

    private int serve(TestKind kind) throws IOException {
        try (ServerSocket listener = new ServerSocket()) {
            if (options.isChild()) {
                ParentWatch.start();
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            } else {
                listener.bind(new InetSocketAddress(port), 1);
            }
            VerbsSide side = side();
            if (!options.isChild()) {
                // A child's client names the device that is missing.
                side.checkDevice();
            }
            ChildServer.announce(options.out(), listener.getLocalPort());
            side.serve(kind, listener);
            return 0;
        } catch (RuntimeException e) {
            if (options.isChild()) {
                // The client knows why, and prints it.
                return 1;
            }
            throw e;
        }
    }

    /** Converts a name to a test. */
    static final class KindConverter implements ITypeConverter<TestKind> {
        @Override
        public TestKind convert(String name) {
            try {
                return TestKind.parse(name);
            } catch (IllegalArgumentException e) {
                throw new TypeConversionException(e.getMessage());
            }
        }
    }
}
