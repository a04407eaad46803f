// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ChildProcess;
import io.verbena.cli.ParentWatch;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
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
        subcommands = {StreamCommand.class, SocketBenchCommand.class, QueueBenchCommand.class},
        description = {
            "Measure latency and bandwidth between two processes, with the options and columns of"
                    + " perftest, beside what the machine itself can do: two processes that spin on a"
                    + " shared cache line, and a plain memory copy.",
            "Starts its own server unless --connect or --listen is given."
        })
public final class BenchCommand implements Callable<Integer> {
    static final String LISTENING = "listening on port ";
    private static final Duration START_LIMIT = Duration.ofMinutes(2);
    private static final int CONNECT_LIMIT_MS = 10_000;
    private static final String DEFAULT_PORT = "18515";

    @Parameters(
            paramLabel = "TEST",
            arity = "0..1",
            converter = KindConverter.class,
            description =
                    "send_lat, send_bw, write_lat, write_bw, read_lat, read_bw or atomic_lat; for what"
                            + " lies above verbs see verbena bench stream, socket or mq"
                            + " --help.")
    private TestKind test;

    @Option(
            names = {"-d", "--ib-dev"},
            paramLabel = "DEVICE",
            defaultValue = "",
            description =
                    "The device. Default: hardware if there is any, else the software device.")
    private String device;

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
                    "Which global identifier of the port. Default: the one of an address of this"
                            + " host.")
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
            description = "TCP port by which the two halves find each other (${DEFAULT-VALUE}).")
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
                    "Run the server that this command starts, and perftest's, on that processor"
                            + " alone. To choose the client's, start this command with taskset.")
    private int serverCpu;

    @Option(names = "--json", description = "Print one JSON object per row.")
    private boolean json;

    /**
     * Given by a client to the server it starts: any port, this host only, ends with the client.
     */
    @Option(names = "--child", hidden = true)
    private boolean child;

    @Mixin private PlanOptions planOptions;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (test == null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Missing required parameter: 'TEST', or: stream, socket, mq");
        }
        if (listen && !host.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--listen excludes --connect");
        }
        if (listen) {
            return serve();
        }
        Plan plan = plan();
        if (!host.isEmpty()) {
            measure(plan, host, port, "the server at " + host);
            return 0;
        }
        PrintWriter err = spec.commandLine().getErr();
        try (ChildProcess server =
                ChildProcess.start(
                        "server",
                        serverPrefix(),
                        serverArguments(),
                        line -> printUnlessExpected(err, line))) {
            int serverPort = Integer.parseInt(server.awaitLine(LISTENING, START_LIMIT));
            String loopback = InetAddress.getLoopbackAddress().getHostAddress();
            measure(plan, loopback, serverPort, "the server process");
        }
        return 0;
    }

    private Plan plan() {
        try {
            return planOptions.toPlan(test);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Optional<Perftest> perftest(Plan plan) {
        return comparePerftest
                ? Optional.of(new Perftest(plan, port + 1, serverPrefix()))
                : Optional.empty();
    }

    private List<String> serverPrefix() {
        return serverCpu < 0 ? List.of() : List.of("taskset", "-c", Integer.toString(serverCpu));
    }

    private LocalPort localPort() {
        return new LocalPort(device, devicePort, gidIndex);
    }

    /** {@return the arguments of a server that ends with its client} */
    static List<String> childArguments(String test, String device) {
        List<String> arguments = new ArrayList<>(List.of("bench", test, "--listen", "--child"));
        if (!device.isEmpty()) {
            arguments.addAll(List.of("-d", device));
        }
        return arguments;
    }

    private List<String> serverArguments() {
        List<String> arguments = childArguments(test.id(), device);
        arguments.addAll(List.of("-i", "" + devicePort, "-x", "" + gidIndex));
        return arguments;
    }

    static void printUnlessExpected(PrintWriter err, String line) {
        if (!line.contains(LISTENING)) {
            err.println(line);
        }
    }

    private void measure(Plan plan, String address, int tcpPort, String peer) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        Report report = json ? new JsonReport(out) : new TextReport(out);
        try (Socket socket = new Socket()) {
            connect(socket, address, tcpPort);
            ControlLink link = new ControlLink(socket, peer);
            reportingFailure(
                    link,
                    () -> {
                        try (BenchClient client =
                                new BenchClient(plan, localPort(), link, perftest(plan))) {
                            client.run(report);
                        }
                    });
        }
    }

    private static void connect(Socket socket, String address, int tcpPort) {
        try {
            socket.connect(new InetSocketAddress(address, tcpPort), CONNECT_LIMIT_MS);
        } catch (IOException e) {
            throw new BenchException(
                    "cannot reach a server at "
                            + address
                            + " port "
                            + tcpPort
                            + ": "
                            + e.getMessage()
                            + " (expected: one started with --listen)",
                    e);
        }
    }

    private int serve() throws IOException {
        try (ServerSocket listener = new ServerSocket()) {
            if (child) {
                ParentWatch.start();
                listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
            } else {
                listener.bind(new InetSocketAddress(port), 1);
            }
            PrintWriter out = spec.commandLine().getOut();
            out.println(LISTENING + listener.getLocalPort());
            out.flush();
            try (Socket socket = listener.accept()) {
                ControlLink link = new ControlLink(socket, "the client");
                reportingFailure(
                        link,
                        () -> {
                            try (BenchServer server = new BenchServer(test, localPort(), link)) {
                                server.run();
                            }
                        });
                return 0;
            } catch (RuntimeException e) {
                if (child) {
                    // The client has been told, or has told us; it prints.
                    return 1;
                }
                throw e;
            }
        }
    }

    /** Tells the other half what went wrong here, so that it need not guess. */
    private static void reportingFailure(ControlLink link, Runnable half) {
        try {
            half.run();
        } catch (RuntimeException e) {
            try {
                link.sendFailure(e instanceof BenchException ? e.getMessage() : e.toString());
            } catch (BenchException unreachable) {
                e.addSuppressed(unreachable);
            }
            throw e;
        }
    }

    /** Turns a name into a test. */
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
