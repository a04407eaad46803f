// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import io.verbena.testing.RunningProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Starts processes in the lab, where everything may be emulated and takes its time. */
final class LabProcess {
    private static final Duration LIMIT = Duration.ofMinutes(4);

    private LabProcess() {}

    /** {@return a started program of this machine} */
    static RunningProcess start(String... command) {
        return RunningProcess.start(LIMIT, List.of(command));
    }

    /**
     * {@return a started command of ours} The program is the one that the launcher has published;
     * not by the launcher itself, which looks through all sources for changes. Compiled once only,
     * which is fastest when emulated.
     */
    static RunningProcess verbena(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=io.verbena.verbs.ibv,io.verbena.verbs.soft",
                        "-p",
                        Checkout.program().toString(),
                        "-m",
                        "io.verbena.cli/io.verbena.cli.Main"));
        command.addAll(Arrays.asList(arguments));
        return RunningProcess.start(LIMIT, command);
    }
}
