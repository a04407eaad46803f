// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Two guests on a network that loses, repeats and reorders packets. Runs on the host: a device's
 * path to itself would bypass the queueing discipline.
 */
@Tag("lab-host")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class LossyLinkTest {
    private static final Duration LIMIT = Duration.ofMinutes(8);
    private static final String NETEM = "loss 1% duplicate 1% reorder 5% delay 1ms";

    @Test
    void shouldDeliverEveryMessageIntactAndInOrder() throws InterruptedException {
        List<String> command =
                new ArrayList<>(List.of("./verbena", "lab", "pair", "--netem", NETEM, "--"));
        command.addAll(stream("receive"));
        command.add("---");
        command.add("sh");
        command.add("-c");
        command.add(
                "tc -s qdisc show dev eth0; exec "
                        + String.join(" ", stream("send"))
                        + " $VERBENA_LAB_PEER");

        try (RunningProcess pair = LabProcess.start(command.toArray(String[]::new))) {
            assertThat(pair.awaitExit(LIMIT)).as("%s", pair).isZero();

            assertThat(pair.lines())
                    .contains("A| 10000 messages intact and in order", "B| 10000 messages sent")
                    .anyMatch(line -> line.matches("B\\| qdisc netem .*loss 1%.*"));
        }
    }

    /** The class path of this test is at the same place in the guest. */
    private static List<String> stream(String... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(
                List.of(
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "--enable-native-access=ALL-UNNAMED",
                        "-cp",
                        System.getProperty("java.class.path"),
                        NumberedStream.class.getName()));
        command.addAll(Arrays.asList(arguments));
        return command;
    }
}
