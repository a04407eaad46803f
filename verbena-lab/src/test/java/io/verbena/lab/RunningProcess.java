// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/** A process under test, C or Java, with what it has printed to both streams. */
final class RunningProcess implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofMinutes(4);
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration DUMP_LIMIT = Duration.ofSeconds(30);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private final List<String> command;
    private final Process process;
    private final List<Thread> readers;
    private final boolean java;
    private int open = 2;

    private RunningProcess(List<String> command, boolean java) {
        this.command = command;
        this.java = java;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
        // Apart: C programs write to one of them in blocks, which would cut lines of the other.
        readers = List.of(read(process.inputReader()), read(process.errorReader()));
    }

    /** {@return a started program of this machine} */
    static RunningProcess start(String... command) {
        return new RunningProcess(List.of(command), false);
    }

    /**
     * {@return a started command of ours} The program is the one that the launcher has published;
     * not by the launcher itself, which looks through all sources for changes. Compiled once only,
     * which is fastest when emulated.
     */
    static RunningProcess verbena(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=io.verbena.verbs.ibv,io.verbena.verbs.soft",
                        "-p",
                        Checkout.program().toString(),
                        "-m",
                        "io.verbena.cli/io.verbena.cli.Main"));
        command.addAll(Arrays.asList(arguments));
        return new RunningProcess(command, true);
    }

    long pid() {
        return process.pid();
    }

    /** {@return everything printed so far; C programs keep it back until they end} */
    List<String> lines() {
        lock.lock();
        try {
            return List.copyOf(lines);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a line.
     *
     * @param start how it starts
     * @return the rest of it
     */
    String awaitLine(String start) throws InterruptedException {
        Optional<String> line = tryAwaitLine(start, LIMIT);
        if (line.isEmpty()) {
            throw failure("no line '" + start + "'");
        }
        return line.get().substring(start.length());
    }

    private Optional<String> tryAwaitLine(String start, Duration limit)
            throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (true) {
                Optional<String> line =
                        lines.stream().filter(text -> text.startsWith(start)).findFirst();
                if (line.isPresent() || open == 0 || left <= 0) {
                    return line;
                }
                left = changed.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** {@return what is wrong, with all that was printed and, of a JVM, what its threads do} */
    private AssertionError failure(String what) throws InterruptedException {
        if (java && process.isAlive()) {
            try (RunningProcess signal = start("kill", "-QUIT", Long.toString(pid()))) {
                signal.awaitExit();
            }
            // What a JVM prints last then, but for the figures.
            tryAwaitLine("Heap", DUMP_LIMIT);
        }
        return new AssertionError(what + ": " + this);
    }

    /** {@return the port in {@code listening on port N}, with or without a full stop} */
    String awaitListeningPort() throws InterruptedException {
        return awaitLine("listening on port ").replace(".", "");
    }

    /** Waits until something is so that only a look can tell; fails if the process ends first. */
    void awaitThat(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            boolean over = process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS);
            if (over || System.nanoTime() - deadline > 0) {
                throw failure("not " + what);
            }
        }
    }

    /** {@return its exit status; all it printed is there} */
    int awaitExit() throws InterruptedException {
        return awaitExit(LIMIT);
    }

    /** {@return its exit status, waiting longer or shorter than usual} */
    int awaitExit(Duration limit) throws InterruptedException {
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
            throw failure("still running");
        }
        for (Thread reader : readers) {
            reader.join(LIMIT);
        }
        return process.exitValue();
    }

    /** Ends the process by SIGKILL, in the middle of whatever it does. */
    void kill() {
        process.destroyForcibly();
    }

    /** Ends the process by force, if it has not ended. */
    @Override
    public void close() {
        process.destroyForcibly();
    }

    @Override
    public String toString() {
        return String.join(" ", command) + "\n  " + String.join("\n  ", lines());
    }

    private Thread read(BufferedReader in) {
        return Thread.ofPlatform().name("read-" + process.pid()).start(() -> readLines(in));
    }

    private void readLines(BufferedReader stream) {
        try (BufferedReader in = stream) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                add(Optional.of(line));
            }
        } catch (IOException e) {
            add(Optional.of("(reading its output failed: " + e.getMessage() + ")"));
        }
        add(Optional.empty());
    }

    private void add(Optional<String> line) {
        lock.lock();
        try {
            line.ifPresentOrElse(lines::add, () -> open--);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
