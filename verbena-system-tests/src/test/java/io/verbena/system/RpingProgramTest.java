// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The two processes of {@code rping}; {@link RpingPeerTest} tests improper peers. */
final class RpingProgramTest {
    @ParameterizedTest
    @CsvSource({"64, 1", "23, 3", "1000, 200", "65535, 5"})
    void shouldPingAsOftenAsAskedFor(int size, int count) throws InterruptedException {
        try (RunningProgram server = server("-v");
                RunningProgram client =
                        client(awaitPort(server), "-S", "" + size, "-C", "" + count, "-v", "-V")) {
            assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
            assertThat(server.awaitExit()).as("%s", server.lines()).isZero();

            List<String> pings = startingWith(client, "ping data: rdma-ping-");
            assertThat(pings).hasSize(count);
            assertThat(pings.getLast())
                    .startsWith("ping data: rdma-ping-" + (count - 1) + ": ")
                    .hasSize("ping data: ".length() + size - 1);
            assertThat(startingWith(server, "server ping data: "))
                    .isEqualTo(pings.stream().map(line -> "server " + line).toList());
            assertThat(client.lines()).hasSize(count + 1).contains("client DISCONNECT EVENT...");
            assertThat(server.lines())
                    .contains("server DISCONNECT EVENT...", "wait for RDMA_READ_ADV state 10");
        }
    }

    @Test
    void shouldPrintTheDataOfTheCProgram() throws InterruptedException {
        try (RunningProgram server = server();
                RunningProgram client = client(awaitPort(server), "-C", "2", "-v")) {
            assertThat(client.awaitExit()).isZero();

            assertThat(client.lines())
                    .containsSubsequence(
                            "ping data: rdma-ping-0: "
                                    + "ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqr",
                            "ping data: rdma-ping-1: "
                                    + "BCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrs");
        }
    }

    @Test
    void shouldServeClientsSideBySide() throws InterruptedException {
        try (RunningProgram server = server("-P")) {
            String[] pings = {"-C", "50", "-V"};
            int port = awaitPort(server);
            List<RunningProgram> clients = new ArrayList<>();
            try {
                for (int i = 0; i < 3; i++) {
                    clients.add(client(port, pings));
                }
                for (RunningProgram client : clients) {
                    assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
                }
            } finally {
                clients.forEach(RunningProgram::close);
            }
            try (RunningProgram late = client(port, pings)) {
                assertThat(late.awaitExit()).as("%s", late.lines()).isZero();
            }
        }
    }

    @Test
    void shouldFailWhenTheServerIsKilled() throws InterruptedException {
        try (RunningProgram server = server();
                RunningProgram client = client(awaitPort(server), "-v")) {
            client.awaitLine("ping data: rdma-ping-2: ");

            server.kill();

            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines()).last().asString().startsWith("verbena: ");
        }
    }

    @Test
    void shouldEndWhenTheClientIsKilled() throws InterruptedException {
        try (RunningProgram server = server("-v");
                RunningProgram client = client(awaitPort(server))) {
            server.awaitLine("server ping data: rdma-ping-2: ");

            client.kill();

            // Killed between two pings, it looks like an orderly end; killed during one, it does
            // not.
            assertThat(server.awaitExit()).isIn(0, 1);
        }
    }

    @Test
    void shouldShowItsStepsWhenAsked() throws InterruptedException {
        try (RunningProgram server = server("-d");
                RunningProgram client = client(awaitPort(server), "-C", "1", "-d")) {
            assertThat(client.awaitExit()).isZero();
            assertThat(server.awaitExit()).isZero();

            assertThat(client.lines()).contains("rdma_connect successful");
            assertThat(server.lines())
                    .contains("server posted go ahead", "server rdma write complete");
        }
    }

    private static List<String> startingWith(RunningProgram program, String start) {
        return program.lines().stream().filter(line -> line.startsWith(start)).toList();
    }

    private static int awaitPort(RunningProgram server) throws InterruptedException {
        return Integer.parseInt(server.awaitLine("listening on port "));
    }

    private static RunningProgram server(String... options) {
        return RunningProgram.start(join(options, "rping", "-s", "-p", "0"));
    }

    private static RunningProgram client(int port, String... options) {
        return RunningProgram.start(
                join(options, "rping", "-c", "-a", "localhost", "-p", Integer.toString(port)));
    }

    private static String[] join(String[] options, String... command) {
        return Stream.of(command, options).flatMap(Arrays::stream).toArray(String[]::new);
    }
}
