// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two guests on one network. */
@Tag("lab-host")
@Order(2)
class PairTest {
    private static final int SECONDS = 290;

    @Test
    void shouldCarryDataOverALossyNetwork() throws Exception {
        String server = "ibv_rc_pingpong -d rxe0 -g 1 -n 100 -m 4096; tc -s qdisc show dev eth0";
        String client =
                "until ibv_rc_pingpong -d rxe0 -g 1 -n 100 -m 4096 $VERBENA_LAB_PEER; do sleep 0.3; done";

        String printed =
                Command.run(
                        SECONDS,
                        "./verbena",
                        "lab",
                        "pair",
                        "--netem",
                        "loss 2% delay 1ms",
                        "--",
                        "sh",
                        "-c",
                        server,
                        "---",
                        "sh",
                        "-c",
                        client);

        assertThat(printed).contains("A| 100 iters in", "B| 100 iters in");
        assertThat(printed).containsPattern("A| qdisc netem .* loss 2%");
    }

    @Test
    void shouldReturnTheStatusThatIsNotZero() throws Exception {
        try (Command lab =
                Command.start(
                        "./verbena", "lab", "pair", "--", "true", "---", "sh", "-c", "exit 3")) {
            assertThat(lab.awaitStatus(SECONDS)).as("status of %s", lab).isEqualTo(3);
        }
    }
}
