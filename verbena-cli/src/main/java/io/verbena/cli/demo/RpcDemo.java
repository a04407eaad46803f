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

    /**
     * How long both JVMs warm up at least; they compile for seconds, more so where other programs
     * run. The measurements are discarded.
     */
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(3);

    /** Each kind of call is made at least this often before its figures count. */
    private static final long WARM_UP_CALLS = 1000;

    private static final long MAX_WARM_UP_NS = TimeUnit.SECONDS.toNanos(15);

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
                measure(client, child.pid());
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

    private void measure(DemoClient client, long server) throws InterruptedException {
        DemoView view = new DemoView(new Screen(out), client);
        run(client, view, "warming up", WARM_UP_NS);
        long began = System.nanoTime();
        while (!isWarm(client) && System.nanoTime() - began < MAX_WARM_UP_NS) {
            run(client, view, "warming up", SECOND_NS);
        }
        client.inTurn().forEach(DemoLoad::reset);
        OtherPrograms others = OtherPrograms.besides(ProcessHandle.current().pid(), server);
        run(client, view, "measuring", TimeUnit.SECONDS.toNanos(seconds));
        String summary =
                String.format(
                        Locale.ROOT, "%,d calls, every one answered as sent", client.answers());
        view.finish(summary, others.describe());
    }

    /** Large calls are fewer, but make up for it in bytes. */
    private static boolean isWarm(DemoClient client) {
        return client.inTurn().stream()
                .allMatch(load -> load.answers() * load.kind().depth() >= WARM_UP_CALLS);
    }

    /** Makes all calls in turn, at least once each, and shows how far it is. */
    private void run(DemoClient client, DemoView view, String state, long totalNs)
            throws InterruptedException {
        long interval = new Screen(out).isTerminal() ? REDRAW_NS : SECOND_NS;
        long began = System.nanoTime();
        long shown = began;
        for (long now = began; now - began < totalNs; now = System.nanoTime()) {
            for (DemoLoad load : client.inTurn()) {
                load.run(SLICE_NS);
            }
            if (now - shown > interval) {
                shown = now;
                view.update((now - began) / SECOND_NS, (double) (now - began) / totalNs, state);
            }
        }
    }
}
