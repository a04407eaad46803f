// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.rpc.RpcNode;
import io.verbena.tools.ChildProcess;
import io.verbena.tools.JavaProgram;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * The demonstration of RPC: this process is the client, a second one the server; both speak RDMA
 * and TCP on the same port.
 */
final class RpcDemo {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(60);
    private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long REDRAW_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** The first part of the run warms up the JVMs; its measurements are discarded. */
    private static final double WARM_UP = 0.25;

    private final PrintStream out = System.out;
    private final JavaProgram program;
    private final int seconds;

    /**
     * A demonstration that is not started.
     *
     * @param program this program, which the other process also runs
     * @param seconds how long it runs
     */
    RpcDemo(JavaProgram program, int seconds) {
        this.program = program;
        this.seconds = seconds;
    }

    void run(String device) throws InterruptedException {
        List<String> arguments = new ArrayList<>(List.of("demo-server"));
        if (!device.isEmpty()) {
            arguments.addAll(List.of("--device", device));
        }
        try (ChildProcess child =
                        ChildProcess.start(
                                "server",
                                program.command(arguments),
                                RpcDemo::printUnlessExpected);
                RpcNode node = DemoNode.open(device)) {
            String port = child.awaitLine(DemoServerCommand.ANNOUNCEMENT, START_LIMIT);
            introduce(node, child, port);
            try (DemoClient client = new DemoClient(node, "127.0.0.1:" + port)) {
                measure(client);
            } catch (RuntimeException e) {
                throw child.isAlive()
                        ? e
                        : new IllegalStateException(
                                child.describeEnd() + " (" + e.getMessage() + ")", e);
            }
        }
    }

    /** The announcement is for this program; anything else the server prints is for the user. */
    private static void printUnlessExpected(String line) {
        if (!line.contains(DemoServerCommand.ANNOUNCEMENT)) {
            System.err.println(line);
        }
    }

    private void introduce(RpcNode node, ChildProcess child, String port) {
        out.println("Verbena demo: the same calls of an echo service, over RDMA and over TCP");
        out.println();
        out.printf(Locale.ROOT, "  device     %s%n", node.deviceName());
        out.printf(Locale.ROOT, "  port       %s, for RDMA and TCP%n", port);
        out.printf(
                Locale.ROOT,
                "  processes  this one (pid %d) is the client, the server is pid %d%n",
                ProcessHandle.current().pid(),
                child.pid());
        out.println();
    }

    private void measure(DemoClient client) throws InterruptedException {
        DemoView view = new DemoView(new Screen(out), client);
        long interval = new Screen(out).isTerminal() ? REDRAW_NS : SECOND_NS;
        long total = TimeUnit.SECONDS.toNanos(seconds);
        long began = System.nanoTime();
        long shown = began;
        boolean isWarm = false;
        for (long now = began; now - began < total; now = System.nanoTime()) {
            if (!isWarm && now - began > total * WARM_UP) {
                isWarm = true;
                client.inTurn().forEach(DemoLoad::reset);
            }
            for (DemoLoad load : client.inTurn()) {
                load.run(SLICE_NS);
            }
            if (now - shown > interval) {
                shown = now;
                view.update(
                        (now - began) / SECOND_NS,
                        (double) (now - began) / total,
                        isWarm ? "measuring" : "warming up");
            }
        }
        view.finish(
                String.format(
                        Locale.ROOT, "%,d calls, every one answered as sent", client.answers()));
    }
}
