// SPDX-License-Identifier: Apache-2.0

package io.verbena.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A process under test, C or Java, and everything it has printed to both streams.
 *
 * <p>Ownership: close it; it also ends when this JVM does. Threads: any.
 */
public final class RunningProcess implements AutoCloseable {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration DUMP_LIMIT = Duration.ofSeconds(30);
    private static final Duration END_LIMIT = Duration.ofSeconds(2);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final List<String> lines = new ArrayList<>();
    private final List<String> command;
    private final Duration limit;
    private final Process process;
    private final Thread killer;
    private final List<Thread> readers;
    private int open = 2;
    private int taken;

    private RunningProcess(Duration limit, List<String> command) {
        this.command = command;
        this.limit = limit;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
        killer = Thread.ofPlatform().name("end-" + pid()).unstarted(process::destroyForcibly);
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

    /** {@return its process id} */
    public long pid() {
        return process.pid();
    }

    /** {@return everything printed so far; C programs buffer their output until they end} */
    public List<String> lines() {
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
     * @throws InterruptedException if this thread was interrupted
     */
    public String awaitLine(String start) throws InterruptedException {
        Optional<String> line = tryAwaitLine(start, limit);
        if (line.isEmpty()) {
            throw failure("no line '" + start + "'");
        }
        return line.get().substring(start.length());
    }

    private Optional<String> tryAwaitLine(String start, Duration wait) throws InterruptedException {
        long left = wait.toNanos();
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

    /**
     * {@return the first line that no call before this one has returned, waiting for it}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public String nextLine() throws InterruptedException {
        long left = limit.toNanos();
        lock.lock();
        try {
            while (taken == lines.size() && open > 0 && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (taken < lines.size()) {
                return lines.get(taken++);
            }
        } finally {
            lock.unlock();
        }
        throw failure("no other line");
    }

    /**
     * {@return what is wrong, with everything that was printed and, for a JVM, a dump of its
     * threads}
     */
    private AssertionError failure(String what) throws InterruptedException {
        if (command.getFirst().endsWith("/java") && process.isAlive()) {
            Signals.send(pid(), "QUIT");
            // The last thing a JVM prints in a dump, apart from the figures.
            tryAwaitLine("Heap", DUMP_LIMIT);
        }
        return new AssertionError(what + ": " + this);
    }

    /**
     * {@return the port in {@code listening on port N}, with or without a full stop}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public String awaitListeningPort() throws InterruptedException {
        return awaitLine("listening on port ").replace(".", "");
    }

    /**
     * Waits until a condition holds that can only be polled; fails if the process ends first.
     *
     * @param what the condition in words, for the message
     * @param condition looks
     * @throws InterruptedException if this thread was interrupted
     */
    public void awaitThat(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            boolean over = process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS);
            if (over || System.nanoTime() - deadline > 0) {
                throw failure("not " + what);
            }
        }
    }

    /**
     * {@return its exit status; everything it printed has been read}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public int awaitExit() throws InterruptedException {
        return awaitExit(limit);
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
            reader.join(limit);
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

    /** Kills the process with SIGKILL, in the middle of whatever it does. */
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

    @Override
    public String toString() {
        return String.join(" ", command) + "\n  " + String.join("\n  ", lines());
    }

    private Thread read(BufferedReader in) {
        return Thread.ofPlatform().daemon().name("read-" + pid()).start(() -> readLines(in));
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
