// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A second process, in most cases a {@link JavaProgram}.
 *
 * <p>Closing ends the child; so does the end of this JVM, even by a signal. A child that calls
 * {@link ParentWatch#start()} ends even when this JVM is killed. Every line that the child prints
 * goes to the given consumer, prefixed with {@code [name]}, on a thread of its own. Callers can
 * wait for lines of its standard output. Any thread may call any method.
 */
public final class ChildProcess implements AutoCloseable {
    private static final int KEPT_LINES = 1000;
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final String name;
    private final Process process;
    private final BlockingQueue<Optional<String>> lines = new ArrayBlockingQueue<>(KEPT_LINES + 1);
    private final Thread killer;
    private final List<Thread> readers;

    private ChildProcess(String name, Process process, Consumer<String> printer) {
        this.name = name;
        this.process = process;
        this.killer = Thread.ofPlatform().name("end-" + name).unstarted(process::destroy);
        Runtime.getRuntime().addShutdownHook(killer);
        this.readers =
                List.of(
                        read(process.getErrorStream(), line -> print(line, printer), () -> {}),
                        read(
                                process.getInputStream(),
                                line -> onLine(line, printer),
                                this::onEndOfOutput));
    }

    /**
     * {@return the started child}
     *
     * @param name its name, in front of its lines and in messages
     * @param command the program and its arguments
     * @param printer receives its output, line by line
     */
    public static ChildProcess start(String name, List<String> command, Consumer<String> printer) {
        try {
            return new ChildProcess(name, new ProcessBuilder(command).start(), printer);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + name + ": " + e.getMessage(), e);
        }
    }

    /** {@return its process id} */
    public long pid() {
        return process.pid();
    }

    /** {@return whether it is still running} */
    public boolean isAlive() {
        return process.isAlive();
    }

    /**
     * Waits for a line on its standard output; lines before it are skipped.
     *
     * @param start how the line starts
     * @param timeout how long to wait
     * @return the rest of the line
     * @throws IllegalStateException if the child ended, or the timeout passed, before such a line
     * @throws InterruptedException if the thread was interrupted
     */
    public String awaitLine(String start, Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            Optional<String> line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (line == null) {
                throw new IllegalStateException(
                        name + ": no line '" + start + "' within " + timeout.toMillis() + " ms");
            }
            if (line.isEmpty()) {
                // Left in place for the next caller.
                lines.offer(line);
                throw new IllegalStateException(
                        describeEnd() + " before it printed '" + start + "'");
            }
            if (line.get().startsWith(start)) {
                return line.get().substring(start.length());
            }
        }
    }

    /**
     * {@return its exit status, or nothing if it did not end in time} By then its output has been
     * passed to the consumer.
     *
     * @param timeout how long to wait
     * @throws InterruptedException if the thread was interrupted
     */
    public OptionalInt awaitExit(Duration timeout) throws InterruptedException {
        if (!process.waitFor(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return OptionalInt.empty();
        }
        for (Thread reader : readers) {
            // With a limit: a process that the child left behind may hold its output open.
            reader.join(END_LIMIT);
        }
        return OptionalInt.of(process.exitValue());
    }

    /** {@return a sentence that says whether and how it ended} */
    public String describeEnd() {
        String who = "process " + name + " (pid " + pid() + ")";
        try {
            // Its output ends a moment before the process does.
            process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        if (process.isAlive()) {
            return who + " is still running";
        }
        int status = process.exitValue();
        // The convention of shells, and of java.lang.Process on Unix.
        return status > 128
                ? who + " was ended by signal " + (status - 128)
                : who + " ended with status " + status;
    }

    /** Kills the child, as if from outside. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Ends the child: by closing its standard input, then by a signal, then by force. */
    @Override
    public void close() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // The child and its pipe are gone, which is what we want here.
            process.destroy();
        }
        process.destroy();
        try {
            if (!process.waitFor(END_LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        forgetKiller();
    }

    private void forgetKiller() {
        try {
            Runtime.getRuntime().removeShutdownHook(killer);
        } catch (IllegalStateException _) {
            // This JVM is shutting down: the hook runs, and finds nothing to do.
            return;
        }
    }

    private void onLine(String line, Consumer<String> printer) {
        if (lines.size() < KEPT_LINES) {
            lines.add(Optional.of(line));
        }
        print(line, printer);
    }

    private void onEndOfOutput() {
        lines.offer(Optional.empty());
    }

    private void print(String line, Consumer<String> printer) {
        printer.accept("[" + name + "] " + line);
    }

    private Thread read(InputStream stream, Consumer<String> onLine, Runnable onEnd) {
        return Thread.ofVirtual()
                .name("read-" + name)
                .start(() -> readLines(stream, onLine, onEnd));
    }

    private static void readLines(InputStream stream, Consumer<String> onLine, Runnable onEnd) {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                onLine.accept(line);
            }
        } catch (IOException _) {
            // The pipe breaks if the child is killed while it prints: treated like its end.
            return;
        } finally {
            onEnd.run();
        }
    }
}
