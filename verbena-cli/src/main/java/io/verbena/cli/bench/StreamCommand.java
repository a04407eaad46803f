// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ChildProcess;
import io.verbena.cli.ParentWatch;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena bench stream}: measures the transport between two processes. */
@Command(
        name = "stream",
        description = {
            "Measure byte streams of the transport between two processes, handshake included: an echo"
                    + " and long writes, over RDMA beside plain verbs, and over TCP beside plain"
                    + " Netty.",
            "Flags of the transport and the memory pool are system properties, for example"
                    + " VERBENA_JAVA_OPTS=-Drdma_spin_us=0."
        })
public final class StreamCommand implements Callable<Integer> {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);

    @Option(
            names = {"-d", "--ib-dev"},
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

    @Mixin private StreamSizes sizes;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        return child ? serve() : measure();
    }

    private int serve() throws InterruptedException {
        ParentWatch.start();
        try (StreamServer server = new StreamServer(new StreamTransport(device))) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(BenchCommand.LISTENING + server.port() + " " + server.nettyPort());
            out.flush();
            // ends with its parent
            new CountDownLatch(1).await();
        }
        return 0;
    }

    private int measure() throws IOException, InterruptedException {
        PrintWriter err = spec.commandLine().getErr();
        List<String> arguments = new ArrayList<>(List.of("bench", "stream", "--child"));
        if (!device.isEmpty()) {
            arguments.addAll(List.of("-d", device));
        }
        try (ChildProcess server =
                ChildProcess.start(
                        "stream", arguments, line -> BenchCommand.printUnlessExpected(err, line))) {
            String[] ports = server.awaitLine(BenchCommand.LISTENING, START_LIMIT).split(" ", -1);
            report(Integer.parseInt(ports[0]), Integer.parseInt(ports[1]), err);
        }
        return 0;
    }

    private void report(int port, int nettyPort, PrintWriter err)
            throws IOException, InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try (StreamTransport shared = new StreamTransport(device);
                StreamClient client = new StreamClient(sizes, shared, port, nettyPort)) {
            StreamFigures figures = client.measure(device, err);
            if (json) {
                figures.printJson(out);
            } else {
                figures.print(out);
            }
        }
    }
}
