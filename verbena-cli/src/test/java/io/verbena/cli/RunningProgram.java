// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.tools.ChildProcess;
import io.verbena.tools.JavaProgram;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** This program in a JVM of its own, as the launcher starts it, with what it has printed. */
final class RunningProgram implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());
    private final ChildProcess process;

    private RunningProgram(String... args) {
        process =
                ChildProcess.start(
                        args[0], new JavaProgram(Main.class).command(List.of(args)), this::add);
    }

    static RunningProgram start(String... args) {
        return new RunningProgram(args);
    }

    /** Without the name in front. */
    private void add(String line) {
        lines.add(line.substring(line.indexOf(' ') + 1));
    }

    String awaitLine(String start) throws InterruptedException {
        return process.awaitLine(start, LIMIT);
    }

    int awaitListeningPort() throws InterruptedException {
        return Integer.parseInt(awaitLine("listening on port ").replace(".", ""));
    }

    int awaitExit() throws InterruptedException {
        return awaitExit(LIMIT);
    }

    int awaitExit(Duration limit) throws InterruptedException {
        return process.awaitExit(limit)
                .orElseThrow(() -> new AssertionError("still running: " + lines));
    }

    long pid() {
        return process.pid();
    }

    void kill() {
        process.kill();
    }

    /** {@return everything printed to both streams, each in its order} */
    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        process.close();
    }
}
