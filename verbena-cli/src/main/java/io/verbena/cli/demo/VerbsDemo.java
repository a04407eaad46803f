// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.tools.ChildProcess;
import io.verbena.tools.DeviceOption;
import io.verbena.tools.JavaProgram;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.PortAttributes;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** The demonstration of verbs: two processes exchange data, every byte of it checked. */
final class VerbsDemo {
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long REDRAW_NS = TimeUnit.MILLISECONDS.toNanos(200);

    /** The first part of the run warms up the JVMs; its measurements are discarded. */
    private static final double WARM_UP = 0.15;

    private final JavaProgram program;
    private final int seconds;

    /**
     * A demonstration that is not started.
     *
     * @param program this program, which the other process also runs
     * @param seconds how long it runs
     */
    VerbsDemo(JavaProgram program, int seconds) {
        this.program = program;
        this.seconds = seconds;
    }

    void run(DeviceOption device) throws InterruptedException {
        try (DeviceContext context = device.open();
                ChildProcess child = startPeer(context)) {
            int port = Integer.parseInt(child.awaitLine(DemoAddress.ANNOUNCEMENT, START_LIMIT));
            introduce(context, child);
            exchange(context, child, new InetSocketAddress(DemoAddress.of(context), port));
        }
    }

    private ChildProcess startPeer(DeviceContext context) {
        return ChildProcess.start(
                "peer",
                program.command(List.of("demo-peer", "--device", context.device().name())),
                VerbsDemo::printFailure);
    }

    /** The announcement is for this program; anything else the peer prints is for the user. */
    private static void printFailure(String line) {
        if (!line.contains(DemoAddress.ANNOUNCEMENT)) {
            System.err.println(line);
        }
    }

    private static void introduce(DeviceContext context, ChildProcess child) {
        PrintStream out = System.out;
        PortAttributes port = context.queryPort(1);
        String kind = context.device().isHardware() ? "hardware" : "software";
        String wire =
                port.linkLayer().equals("Memory")
                        ? "shared memory between two processes"
                        : port.linkLayer();
        out.println("Verbena demo: one operation at a time, polling, every byte checked");
        out.println();
        out.printf(
                Locale.ROOT,
                "  device     %s (%s device of provider %s, port 1 %s)%n",
                context.device().name(),
                kind,
                context.device().provider(),
                port.state());
        out.printf(Locale.ROOT, "  wire       %s%n", wire);
        out.printf(
                Locale.ROOT,
                "  processes  this one (pid %d) and its peer (pid %d)%n",
                ProcessHandle.current().pid(),
                child.pid());
        out.println();
    }

    private void exchange(DeviceContext context, ChildProcess child, InetSocketAddress address)
            throws InterruptedException {
        try (DemoSession session = DemoSession.connect(context, address)) {
            measure(session.operations());
        } catch (RuntimeException e) {
            throw child.isAlive()
                    ? e
                    : new IllegalStateException(
                            child.describeEnd() + " (" + e.getMessage() + ")", e);
        }
    }

    private void measure(List<Operation> operations) throws InterruptedException {
        DemoTable table = new DemoTable(new Screen(System.out));
        long total = TimeUnit.SECONDS.toNanos(seconds);
        long began = System.nanoTime();
        long drawn = began;
        boolean warm = false;
        for (long now = began; now - began < total; now = System.nanoTime()) {
            for (Operation operation : operations) {
                operation.run(SLICE_NS);
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (!warm && now - began > total * WARM_UP) {
                warm = true;
                operations.forEach(Operation::reset);
            }
            if (now - drawn > REDRAW_NS) {
                drawn = now;
                double fraction = (double) (now - began) / total;
                table.update(operations, fraction, warm ? "measuring" : "warming up");
            }
        }
        table.finish(operations, summary(operations));
    }

    private static String summary(List<Operation> operations) {
        long messages = operations.stream().mapToLong(Operation::verified).sum();
        long bytes = operations.stream().mapToLong(Operation::verifiedBytes).sum();
        return String.format(
                Locale.ROOT,
                "verified %,d messages, %,.1f MB, byte by byte: no difference",
                messages,
                bytes / 1e6);
    }
}
