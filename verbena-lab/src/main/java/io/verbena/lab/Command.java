// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;

/** A program that runs as another process, with its output in files. */
final class Command implements AutoCloseable {
    private final String line;
    private final Process process;
    private final Path output;
    private final Path errors;

    private Command(String line, Process process, Path output, Path errors) {
        this.line = line;
        this.process = process;
        this.output = output;
        this.errors = errors;
    }

    /** Starts a program in the current folder. */
    static Command start(String... words) throws IOException {
        Path output = Files.createTempFile("command", ".out");
        Path errors = Files.createTempFile("command", ".err");
        Process process =
                new ProcessBuilder(words)
                        .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                        .redirectOutput(output.toFile())
                        .redirectError(errors.toFile())
                        .start();
        return new Command(String.join(" ", words), process, output, errors);
    }

    /** Runs a program to its end and returns what it printed; fails if its status is not 0. */
    static String run(int seconds, String... words) throws IOException, InterruptedException {
        try (Command command = start(words)) {
            Assertions.assertThat(command.awaitStatus(seconds))
                    .as("status of %s", command)
                    .isZero();
            return command.output();
        }
    }

    /** Waits for the end of the program; fails, with what it printed, if that takes too long. */
    int awaitStatus(int seconds) throws InterruptedException {
        Assertions.assertThat(process.waitFor(seconds, TimeUnit.SECONDS))
                .as("%s ended within %d s", this, seconds)
                .isTrue();
        return process.exitValue();
    }

    /** Kills the program with SIGKILL, but none that it started. */
    void kill() {
        process.destroyForcibly();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** {@return what it has printed so far} */
    String output() throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** {@return what it has printed to standard error so far} */
    String errors() throws IOException {
        return Files.readString(errors, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        Files.deleteIfExists(output);
        Files.deleteIfExists(errors);
    }

    @Override
    public String toString() {
        try {
            return line + "\n" + output() + errors();
        } catch (IOException e) {
            return line + "\n" + e;
        }
    }
}
