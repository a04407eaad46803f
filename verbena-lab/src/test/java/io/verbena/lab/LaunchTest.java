// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The lab itself: what a command prints and returns, and that no guest outlives its launcher. */
@Tag("lab-host")
@Order(1)
class LaunchTest {
    private static final int BOOT_SECONDS = 240;

    @Test
    void shouldReturnOutputErrorsAndStatus() throws Exception {
        String program = "printf 'one\\n\\ttwo'; echo three >/dev/stderr; sleep 1000 & exit 7";

        try (Command lab = Command.start("./verbena", "lab", "run", "--", "sh", "-c", program)) {
            assertThat(lab.awaitStatus(BOOT_SECONDS)).as("status of %s", lab).isEqualTo(7);
            assertThat(lab.output()).isEqualTo("one\n\ttwo");
            assertThat(lab.errors()).isEqualTo("three\n");
        }
    }

    @Test
    void shouldEndAtTheTimeLimit() throws Exception {
        try (Command lab =
                Command.start("./verbena", "lab", "run", "--time-limit", "2", "--", "true")) {
            assertThat(lab.awaitStatus(BOOT_SECONDS)).as("status of %s", lab).isEqualTo(124);
            assertThat(lab.errors()).contains("ended at the time limit of 2 s");
        }
    }

    @Test
    void shouldSayWhyAGuestEndedWithoutResult() throws Exception {
        String program = "echo c >/proc/sysrq-trigger; sleep 1000";

        try (Command lab = Command.start("./verbena", "lab", "run", "--", "sh", "-c", program)) {
            assertThat(lab.awaitStatus(BOOT_SECONDS)).as("status of %s", lab).isEqualTo(125);
            assertThat(lab.errors()).contains("Kernel panic - not syncing");
        }
    }

    @Test
    void shouldEndWithItsLauncher() throws Exception {
        try (Command lab = Command.start("./verbena", "lab", "run", "--", "sleep", "1000")) {
            List<ProcessHandle> guest = awaitGuest(lab);

            lab.kill();

            for (ProcessHandle process : guest) {
                process.onExit().get(10, TimeUnit.SECONDS);
            }
        }
    }

    private static List<ProcessHandle> awaitGuest(Command lab) throws InterruptedException {
        List<ProcessHandle> descendants;
        do {
            assertThat(lab.isAlive()).as("%s runs", lab).isTrue();
            Thread.onSpinWait();
            descendants = lab.handle().descendants().toList();
        } while (descendants.stream().noneMatch(LaunchTest::isGuest));
        return descendants;
    }

    private static boolean isGuest(ProcessHandle process) {
        return process.info().command().filter(path -> path.contains("qemu-system")).isPresent();
    }
}
