// SPDX-License-Identifier: Apache-2.0

package io.verbena.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A process under test, C or Java.
 *
 * <p>Ownership: close it; it also ends when this JVM does.
 */
public final class RunningProcess extends Program {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration DUMP_LIMIT = Duration.ofSeconds(30);
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final boolean isJava;
    private final Process process;
    private final Thread killer;
    private final List<Thread> readers;

    private RunningProcess(Duration limit, List<String> command) {
        super(limit, command);
        isJava = command.getFirst().endsWith("/java");
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
        killer =
                Thread.ofPlatform()
                        .name("end-" + process.pid())
                        .unstarted(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(killer);
        // Kept apart: C programs write to one of them in blocks, which would cut lines of the
        // other.
        readers = List.of(read(process.inputReader()), read(process.errorReader()));
    }

    /**
     * {@return a started program}
     *
     * @param limit how long the methods without a limit of their own wait
     * @param command the program and its arguments
     */
    public static RunningProcess start(Duration limit, List<String> command) {
        return new RunningProcess(limit, List.copyOf(command));
    }

    @Override
    public long pid() {
        return process.pid();
    }

    /**
     * {@return the first line that no call before this one has returned, waiting for it}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public String nextLine() throws InterruptedException {
        Optional<String> line = printed().tryTake(limit());
        if (line.isEmpty()) {
            throw failure("no other line");
        }
        return line.get();
    }

    @Override
    protected AssertionError failure(String what) throws InterruptedException {
        if (isJava && process.isAlive()) {
            Signals.send(pid(), "QUIT");
            // The last thing a JVM prints in a dump, apart from the figures.
            printed().tryAwait("Heap", DUMP_LIMIT);
        }
        return new AssertionError(what + ": " + this);
    }

    /**
     * Polls until a condition holds; fails if the process ends first.
     *
     * @param what the condition, for the message
     * @param condition looked at by this thread
     * @throws InterruptedException if this thread was interrupted
     */
    public void awaitThat(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + limit().toNanos();
        while (!condition.getAsBoolean()) {
            boolean over = process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS);
            if (over || System.nanoTime() - deadline > 0) {
                throw failure("not " + what);
            }
        }
    }

    @Override
    public int awaitExit() throws InterruptedException {
        return awaitExit(limit());
    }

    /**
     * {@return its exit status, waiting longer or shorter than usual}
     *
     * @param wait how long
     * @throws InterruptedException if this thread was interrupted
     */
    public int awaitExit(Duration wait) throws InterruptedException {
        if (!process.waitFor(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failure("still running");
        }
        for (Thread reader : readers) {
            reader.join(limit());
        }
        return process.exitValue();
    }

    /**
     * Writes a line to its standard input.
     *
     * @param line without its end
     */
    public void tell(String line) {
        try {
            Writer input = process.outputWriter();
            input.write(line + "\n");
            input.flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends its standard input. */
    public void endInput() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the process by SIGKILL, in the middle of whatever it does. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Ends the process, by force if it takes long, and waits until it is gone. */
    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(killer);
    }

    private Thread read(BufferedReader in) {
        return Thread.ofPlatform()
                .daemon()
                .name("read-" + process.pid())
                .start(() -> readLines(in));
    }

    private void readLines(BufferedReader stream) {
        try (BufferedReader in = stream) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                printed().add(line);
            }
        } catch (IOException e) {
            printed().add("(reading its output failed: " + e.getMessage() + ")");
        }
        printed().endStream();
    }
}
