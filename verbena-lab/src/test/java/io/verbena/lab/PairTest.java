// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.RunningProcess;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Two guests on one network. */
@Tag("lab-host")
@Order(2)
class PairTest {
    private static final String PING_PONG = "ibv_rc_pingpong -d rxe0 -g 1 -m 4096 -n ";

    @Test
    void shouldCarryDataOverALossyNetwork() throws Exception {
        // Packets that set up a connection may get lost as well, even the last one, and the program
        // does not retry. So both sides run again and again, until the client has seen an end, and
        // says so by connecting to a second port. By then it has every answer of the server, which
        // may wait in vain to learn so: if that acknowledgement was lost, the client is gone.
        String server =
                "while :; do timeout 20 "
                        + PING_PONG
                        + "100; sleep 0.1; done & again=$!; timeout 200 "
                        + PING_PONG
                        + "1 -p 18516; kill $again; tc -s qdisc show dev eth0";
        String client =
                "until timeout 20 "
                        + PING_PONG
                        + "100 $VERBENA_LAB_PEER; do sleep 0.3; done; timeout 20 "
                        + PING_PONG
                        + "1 -p 18516 $VERBENA_LAB_PEER; true";

        try (RunningProcess pair = pair("loss 2% delay 1ms", server, client)) {
            assertThat(pair.awaitExit()).as("status of %s", pair).isZero();
            assertThat(pair.toString())
                    .contains("B| 100 iters in")
                    .containsPattern("A\\| qdisc netem .* loss 2%");
        }
    }

    @Test
    void shouldReturnTheStatusThatIsNotZero() throws Exception {
        try (RunningProcess pair = pair("", "true", "exit 3")) {
            assertThat(pair.awaitExit()).as("status of %s", pair).isEqualTo(3);
        }
    }

    private static RunningProcess pair(String netem, String first, String second) {
        return LabProcess.start(
                "./verbena",
                "lab",
                "pair",
                "--netem",
                netem,
                "--",
                "sh",
                "-c",
                first,
                "---",
                "sh",
                "-c",
                second);
    }
}
