// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The program in a JVM of its own, as the launcher starts it, with what it has printed. */
final class RunningProgram implements AutoCloseable {
    private static final Path LIBRARIES = Path.of("..", "verbena-cli", "target", "lib");
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final RunningProcess process;

    private RunningProgram(RunningProcess process) {
        this.process = process;
    }

    static RunningProgram start(String... arguments) {
        return startWith(List.of(), arguments);
    }

    /** Starts the program by another one, such as {@code ip netns exec NAME}. */
    static RunningProgram startWith(List<String> prefix, String... arguments) {
        assertThat(LIBRARIES).as("made by mvn package of verbena-cli").isDirectory();
        List<String> command = new ArrayList<>(prefix);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        // as the launcher has it for commands that end soon
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=io.verbena.verbs.soft,io.verbena.verbs.ibv",
                        "--illegal-native-access=deny",
                        "-p",
                        LIBRARIES.toString(),
                        "-m",
                        "io.verbena.cli/io.verbena.cli.Main"));
        command.addAll(Arrays.asList(arguments));
        return new RunningProgram(RunningProcess.start(LIMIT, command));
    }

    /** Waits for a line; {@return what follows its start} */
    String awaitLine(String start) throws InterruptedException {
        return process.awaitLine(start);
    }

    int awaitListeningPort() throws InterruptedException {
        return Integer.parseInt(process.awaitListeningPort());
    }

    int awaitExit() throws InterruptedException {
        return process.awaitExit();
    }

    int awaitExit(Duration limit) throws InterruptedException {
        return process.awaitExit(limit);
    }

    long pid() {
        return process.pid();
    }

    void kill() {
        process.kill();
    }

    /** {@return everything printed to both streams, each in its order} */
    List<String> lines() {
        return process.lines();
    }

    @Override
    public void close() {
        process.close();
    }
}
