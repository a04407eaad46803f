// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A program under test and its output: a process, or one of the project's commands in this JVM. */
abstract sealed class Program implements AutoCloseable permits RunningProcess, RunningCommand {
    /** How long a test waits for anything. */
    static final Duration LIMIT = Duration.ofMinutes(4);

    private final PrintedLines printed = new PrintedLines();
    private final List<String> command;

    Program(List<String> command) {
        this.command = List.copyOf(command);
    }

    final PrintedLines printed() {
        return printed;
    }

    /** {@return everything printed so far; C programs buffer their output until they end} */
    final List<String> lines() {
        return printed.all();
    }

    /**
     * Waits for a line.
     *
     * @param start how it starts
     * @return the rest of it
     */
    final String awaitLine(String start) throws InterruptedException {
        Optional<String> line = printed.tryAwait(start, LIMIT);
        if (line.isEmpty()) {
            throw failure("no line '" + start + "'");
        }
        return line.get().substring(start.length());
    }

    /** {@return the port in {@code listening on port N}, with or without a full stop} */
    final String awaitListeningPort() throws InterruptedException {
        return awaitLine("listening on port ").replace(".", "");
    }

    /** {@return the process it runs in} */
    abstract long pid();

    /** {@return its exit status; everything it printed has been read} */
    abstract int awaitExit() throws InterruptedException;

    /**
     * {@return what is wrong, with everything that was printed and, for a JVM, a dump of its
     * threads}
     */
    abstract AssertionError failure(String what) throws InterruptedException;

    /** Ends it, if it has not ended. */
    @Override
    public abstract void close();

    @Override
    public final String toString() {
        return String.join(" ", command) + "\n  " + String.join("\n  ", lines());
    }
}
