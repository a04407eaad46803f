// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.cli.Main;
import io.verbena.testing.Program;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One of the project's commands on a thread of this JVM, for tests in which it is only a peer: in
 * an emulated guest a JVM takes longer to start than most tests take to run. It is ended by an
 * interrupt, as the command line does on Ctrl-C.
 */
final class RunningCommand extends Program {
    private final FutureTask<Integer> task;
    private final Thread thread;

    private RunningCommand(String... arguments) {
        super(LabProcess.LIMIT, List.of(arguments));
        task = new FutureTask<>(() -> run(arguments));
        thread = Thread.ofPlatform().name("verbena " + arguments[0]).start(task);
    }

    /** {@return a started command} */
    static RunningCommand start(String... arguments) {
        return new RunningCommand(arguments);
    }

    private int run(String... arguments) {
        try (PrintStream out = stream();
                PrintStream err = stream()) {
            StandardStreams.ofThisThread(out, err);
            return Main.run(
                    new PrintWriter(out, true, StandardCharsets.UTF_8),
                    new PrintWriter(err, true, StandardCharsets.UTF_8),
                    arguments);
        }
    }

    private PrintStream stream() {
        return new PrintStream(new LineSplitter(printed()), true, StandardCharsets.UTF_8);
    }

    @Override
    public long pid() {
        return ProcessHandle.current().pid();
    }

    @Override
    public int awaitExit() throws InterruptedException {
        try {
            return task.get(limit().toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("failed: " + this, e.getCause());
        } catch (TimeoutException _) {
            throw failure("still running");
        }
    }

    @Override
    protected AssertionError failure(String what) {
        AssertionError failure = new AssertionError(what + ": " + this);
        for (Map.Entry<Thread, StackTraceElement[]> entry : Thread.getAllStackTraces().entrySet()) {
            Throwable trace = new Throwable("thread " + entry.getKey().getName());
            trace.setStackTrace(entry.getValue());
            failure.addSuppressed(trace);
        }
        return failure;
    }

    /** Interrupts the command and waits: what it had open must not affect the next test. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            if (!thread.join(limit())) {
                throw failure("not ended by an interrupt");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
