// SPDX-License-Identifier: Apache-2.0

package io.verbena.testing;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A program under test, in a process or in a thread, with what it has printed. Threads: any. */
public abstract class Program implements AutoCloseable {
    private final PrintedLines printed = new PrintedLines();
    private final Duration limit;
    private final List<String> command;

    /**
     * A program that has not started.
     *
     * @param limit how long each method waits that names no limit of its own
     * @param command the program and its arguments
     */
    protected Program(Duration limit, List<String> command) {
        this.limit = limit;
        this.command = List.copyOf(command);
    }

    /** {@return how long a test waits for anything} */
    protected final Duration limit() {
        return limit;
    }

    /** {@return where its output goes} */
    protected final PrintedLines printed() {
        return printed;
    }

    /** {@return everything printed so far; C programs buffer their output until they end} */
    public final List<String> lines() {
        return printed.all();
    }

    /**
     * Waits for a line.
     *
     * @param start how it starts
     * @return the rest of it
     * @throws InterruptedException if this thread was interrupted
     */
    public final String awaitLine(String start) throws InterruptedException {
        Optional<String> line = printed.tryAwait(start, limit);
        if (line.isEmpty()) {
            throw failure("no line '" + start + "'");
        }
        return line.get().substring(start.length());
    }

    /**
     * {@return the port in {@code listening on port N}, with or without a full stop}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public final String awaitListeningPort() throws InterruptedException {
        return awaitLine("listening on port ").replace(".", "");
    }

    /** {@return the id of the process it runs in} */
    public abstract long pid();

    /**
     * {@return its exit status; all it printed is there}
     *
     * @throws InterruptedException if this thread was interrupted
     */
    public abstract int awaitExit() throws InterruptedException;

    /**
     * {@return what is wrong, with all that was printed and, for a JVM, what its threads do}
     *
     * @param what is wrong
     * @throws InterruptedException if this thread was interrupted
     */
    protected abstract AssertionError failure(String what) throws InterruptedException;

    /** Ends it, if it has not ended. */
    @Override
    public abstract void close();

    @Override
    public final String toString() {
        return String.join(" ", command) + "\n  " + String.join("\n  ", lines());
    }
}
