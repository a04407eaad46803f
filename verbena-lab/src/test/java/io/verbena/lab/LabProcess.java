// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.testing.RunningProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts the processes of tests, with the patience that an emulated machine needs. */
final class LabProcess {
    /** How long a test waits for anything. */
    static final Duration LIMIT = Duration.ofMinutes(4);

    private LabProcess() {}

    /** {@return a started program of this machine} */
    static RunningProcess start(String... command) {
        return RunningProcess.start(LIMIT, List.of(command));
    }

    /**
     * {@return a started Verbena command, for tests that need a process; see {@link RunningCommand}
     * for the others} It is the program that the launcher has published, but without the launcher,
     * which would look through all sources for changes. The first compiler alone is fastest when
     * emulated.
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
        return RunningProcess.start(LIMIT, command);
    }
}
