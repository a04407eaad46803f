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
        // Apart: C programs write to one of them in blocks, which would cut lines of the other.
        readers = List.of(read(process.inputReader()), read(process.errorReader()));
    }

    /** {@return a started program of this machine} */
    static RunningProcess start(String... command) {
        return new RunningProcess(List.of(command), false);
    }

    /**
     * {@return a started command of ours, for tests whose point is the process; see {@link
     * RunningCommand} for the others} The program is the one that the launcher has published; not
     * by the launcher itself, which looks through all sources for changes. Compiled once only,
     * which is fastest when emulated.
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
            // What a JVM prints last then, but for the figures.
            printed().tryAwait("Heap", DUMP_LIMIT);
        }
        return new AssertionError(what + ": " + this);
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

    /** Ends the process by SIGKILL, in the middle of whatever it does. */
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
