// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A process under test, C or Java. */
final class RunningProcess extends Program {
    private static final Duration TICK = Duration.ofMillis(100);
    private static final Duration DUMP_LIMIT = Duration.ofSeconds(30);

    private final Process process;
    private final List<Thread> readers;
    private final boolean java;

    private RunningProcess(List<String> command, boolean java) {
        super(command);
        this.java = java;
        try {
            process = new ProcessBuilder(command).start();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start " + command, e);
        }
        // Kept apart: C programs write to one of them in blocks, which would cut lines of the
        // other.
        readers = List.of(read(process.inputReader()), read(process.errorReader()));
    }

    /** {@return a started program installed on this machine} */
    static RunningProcess start(String... command) {
        return new RunningProcess(List.of(command), false);
    }

    /**
     * {@return one of the project's commands, started, for tests that are about the process; see
     * {@link RunningCommand} for the others} Runs the program that the launcher has published, but
     * not the launcher itself, which checks all sources for changes. Uses only the first compiler
     * tier, which is fastest in an emulated guest.
     */
    static RunningProcess verbena(String... arguments) {
        Path program = Checkout.program();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=io.verbena.verbs.soft,io.verbena.verbs.ibv"));
        Path startCache = program.resolve("start.aot");
        if (Files.exists(startCache)) {
            command.add("-XX:AOTCache=" + startCache);
        }
        command.addAll(
                List.of("-p", program.toString(), "-m", "io.verbena.cli/io.verbena.cli.Main"));
        command.addAll(Arrays.asList(arguments));
        return new RunningProcess(command, true);
    }

    @Override
    long pid() {
        return process.pid();
    }

    @Override
    AssertionError failure(String what) throws InterruptedException {
        if (java && process.isAlive()) {
            try (RunningProcess signal = start("kill", "-QUIT", Long.toString(pid()))) {
                signal.awaitExit();
            }
            // The last thing a JVM prints in a dump, apart from the figures.
            printed().tryAwait("Heap", DUMP_LIMIT);
        }
        return new AssertionError(what + ": " + this);
    }

    /** Waits until a condition holds that can only be polled; fails if the process ends first. */
    void awaitThat(String what, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + LIMIT.toNanos();
        while (!condition.getAsBoolean()) {
            boolean over = process.waitFor(TICK.toMillis(), TimeUnit.MILLISECONDS);
            if (over || System.nanoTime() - deadline > 0) {
                throw failure("not " + what);
            }
        }
    }

    @Override
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

    /** Kills the process with SIGKILL, in the middle of whatever it does. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    private Thread read(BufferedReader in) {
        return Thread.ofPlatform().name("read-" + process.pid()).start(() -> readLines(in));
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
