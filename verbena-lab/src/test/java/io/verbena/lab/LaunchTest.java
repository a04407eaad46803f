// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The lab itself: what a command prints and returns, and that no guest outlives its launcher. */
@Tag("lab-host")
@Order(1)
class LaunchTest {
    @Test
    void shouldReturnOutputErrorsAndStatus(@TempDir Path folder) throws Exception {
        Path errors = folder.resolve("errors");
        String program = "printf 'one\\n\\n\\ttwo'; echo three >/dev/stderr; sleep 1000 & exit 7";

        try (RunningProcess lab =
                LabProcess.start(
                        "sh",
                        "-c",
                        "exec ./verbena lab run -- sh -c \"$1\" 2>\"$2\"",
                        "sh",
                        program,
                        errors.toString())) {
            assertThat(lab.awaitExit()).as("status of %s", lab).isEqualTo(7);
            assertThat(lab.lines()).containsExactly("one", "", "\ttwo");
            assertThat(Files.readString(errors)).isEqualTo("three\n");
        }
    }

    @Test
    void shouldEndAtTheTimeLimit() throws Exception {
        try (RunningProcess lab =
                LabProcess.start(
                        "./verbena", "lab", "run", "--time-limit", "2", "--", "sleep", "1000")) {
            assertThat(lab.awaitExit()).as("status of %s", lab).isEqualTo(124);
            assertThat(lab.toString()).contains("ended at the time limit of 2 s");
        }
    }

    @Test
    void shouldSayWhyAGuestEndedWithoutResult() throws Exception {
        String program = "echo c >/proc/sysrq-trigger; sleep 1000";

        try (RunningProcess lab =
                LabProcess.start("./verbena", "lab", "run", "--", "sh", "-c", program)) {
            assertThat(lab.awaitExit()).as("status of %s", lab).isEqualTo(125);
            assertThat(lab.toString()).contains("Kernel panic - not syncing");
        }
    }

    @Test
    void shouldEndWithItsLauncher() throws Exception {
        try (RunningProcess lab =
                LabProcess.start("./verbena", "lab", "run", "--", "sleep", "1000")) {
            lab.awaitThat("a guest", () -> processes(lab).stream().anyMatch(LaunchTest::isGuest));
            List<ProcessHandle> guest = processes(lab);

            lab.kill();

            for (ProcessHandle process : guest) {
                process.onExit().get(30, TimeUnit.SECONDS);
            }
        }
    }

    private static List<ProcessHandle> processes(RunningProcess lab) {
        return ProcessHandle.of(lab.pid()).orElseThrow().descendants().toList();
    }

    private static boolean isGuest(ProcessHandle process) {
        return process.info().command().filter(path -> path.contains("qemu-system")).isPresent();
    }
}
