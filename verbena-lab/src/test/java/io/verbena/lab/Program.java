// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A program under test, with what it has printed: a process, or a command of ours in this JVM. */
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

    /** {@return everything printed so far; C programs keep it back until they end} */
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

    /** {@return its exit status; all it printed is there} */
    abstract int awaitExit() throws InterruptedException;

    /** {@return what is wrong, with all that was printed and, of a JVM, what its threads do} */
    abstract AssertionError failure(String what) throws InterruptedException;

    /** Ends it, if it has not ended. */
    @Override
    public abstract void close();

    @Override
    public final String toString() {
        return String.join(" ", command) + "\n  " + String.join("\n  ", lines());
    }
}
