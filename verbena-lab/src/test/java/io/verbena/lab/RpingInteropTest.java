// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import io.verbena.testing.RunningProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code verbena rping} and the {@code rping} of librdmacm, each as the other's client. */
@InLab
final class RpingInteropTest {
    private static final int PORT = 7174;

    @Test
    void shouldServeTheCClient() throws InterruptedException {
        try (Program server = ours("-s -p 0 -v -V")) {
            String port = server.awaitListeningPort();
            try (Program client = theirs("-c -p " + port + " -v -V -C 20 -S 1000")) {
                assertPings(client, 1000, 20);
                assertServed(server, client);
            }
        }
    }

    @Test
    void shouldServeCClientsSideBySide() throws InterruptedException {
        try (Program server = ours("-s -P -p 0")) {
            String port = server.awaitListeningPort();
            try (RunningProcess longPings = theirs("-c -p " + port + " -v -V -C 3 -S 65535");
                    RunningProcess shortPings = theirs("-c -p " + port + " -v -V -C 10")) {
                assertPings(longPings, 65535, 3);
                assertPings(shortPings, 64, 10);
            }
            try (RunningProcess late = theirs("-c -p " + port + " -v -V -C 1 -S 23")) {
                assertPings(late, 23, 1);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"64, 1", "1000, 20", "65535, 3"})
    void shouldBeTheCServersClient(int size, int count) throws InterruptedException {
        // The C server's buffer has the size given to it, not that of the client's pings.
        try (RunningProcess server = theirs("-s -p " + PORT + " -v -V -S " + size)) {
            CPrograms.awaitRdmaListener(server, PORT);
            String options = "-c -a " + Guest.address() + " -p " + PORT;
            try (Program client = ours(options + " -v -V -C " + count + " -S " + size)) {
                assertPings(client, size, count);
                assertServed(server, client);
            }
        }
    }

    private static RunningCommand ours(String options) {
        return RunningCommand.start(("rping --device " + Guest.DEVICE + " " + options).split(" "));
    }

    private static RunningProcess theirs(String options) {
        return LabProcess.start(("rping -a " + Guest.address() + " " + options).split(" "));
    }

    private static void assertPings(Program client, int size, int count)
            throws InterruptedException {
        assertThat(client.awaitExit()).as("%s", client).isZero();
        List<String> pings = startingWith(client, "ping data: ");
        assertThat(pings).hasSize(count);
        for (int i = 0; i < count; i++) {
            assertThat(pings.get(i))
                    .startsWith("ping data: rdma-ping-" + i + ": ")
                    .hasSize("ping data: ".length() + size - 1);
        }
    }

    private static void assertServed(Program server, Program client) throws InterruptedException {
        assertThat(server.awaitExit()).as("%s", server).isZero();
        assertThat(startingWith(server, "server ping data: "))
                .isEqualTo(
                        startingWith(client, "ping data: ").stream()
                                .map(line -> "server " + line)
                                .toList());
        assertThat(server.lines())
                .contains("server DISCONNECT EVENT...", "wait for RDMA_READ_ADV state 10");
    }

    private static List<String> startingWith(Program program, String start) {
        return program.lines().stream().filter(line -> line.startsWith(start)).toList();
    }
}
