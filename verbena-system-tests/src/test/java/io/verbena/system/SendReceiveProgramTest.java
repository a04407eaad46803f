// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The two processes of the tutorial's {@code rdma_send_recv}, line by line. */
final class SendReceiveProgramTest {
    private static final String CHINESE = "你好，我在测试RDMA SEND DEMO，可以看到我的消息吗？";
    private static final Duration SOON = Duration.ofSeconds(20);

    @Test
    void shouldExchangeMessagesWithAGreeting() throws InterruptedException {
        try (RunningProgram server = server("--once")) {
            int port = server.awaitListeningPort();
            try (RunningProgram client = client(port, "--message", CHINESE)) {
                assertThat(client.awaitExit()).isZero();
                assertThat(server.awaitExit()).isZero();
                assertClientGreeted(client.lines(), server.pid());
                assertServerGreeted(server.lines(), port);
            }
        }
    }

    /** Two threads print: their lines may interleave, but the order within each is fixed. */
    private static void assertClientGreeted(List<String> lines, long serverPid) {
        String greeting =
                "received message: message from passive/server side with pid " + serverPid;
        assertThat(lines)
                .startsWith("address resolved.", "route resolved.")
                .endsWith("disconnected.");
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "address resolved.",
                        "route resolved.",
                        "connected. posting send...",
                        "wc->status = 0 (success)",
                        "send completed successfully.",
                        "wc->status = 0 (success)",
                        greeting,
                        "disconnected.");
        assertThat(lines)
                .containsSubsequence("connected. posting send...", "send completed successfully.")
                .containsSubsequence("wc->status = 0 (success)", greeting);
    }

    private static void assertServerGreeted(List<String> lines, int port) {
        assertThat(lines)
                .startsWith("listening on port " + port + ".", "received connection request.")
                .endsWith("peer disconnected.");
        assertThat(lines)
                .containsExactlyInAnyOrder(
                        "listening on port " + port + ".",
                        "received connection request.",
                        "received message: " + CHINESE,
                        "connected. posting send...",
                        "send completed successfully.",
                        "peer disconnected.");
        assertThat(lines)
                .containsSubsequence("connected. posting send...", "send completed successfully.");
    }

    @Test
    void shouldEndWithAFlushWithoutTheGreeting() throws InterruptedException {
        try (RunningProgram server = server("--once", "--no-greeting")) {
            int port = server.awaitListeningPort();
            try (RunningProgram client = client(port, "--no-greeting")) {
                assertThat(client.awaitExit()).isZero();
                assertThat(server.awaitExit()).isZero();
                assertThat(client.lines())
                        .containsExactly(
                                "address resolved.",
                                "route resolved.",
                                "connected. posting send...",
                                "wc->status = 0 (success)",
                                "send completed successfully.",
                                "wc->status = 5 (Work Request Flushed Error)",
                                "disconnected.");
                assertThat(server.lines())
                        .containsExactly(
                                "listening on port " + port + ".",
                                "received connection request.",
                                "received message: message from active/client side with pid "
                                        + client.pid(),
                                "peer disconnected.");
            }
        }
    }

    @Test
    void shouldServeAsManyConnectionsAsAskedFor() throws InterruptedException {
        try (RunningProgram server = server("--count", "2")) {
            int port = server.awaitListeningPort();
            for (int i = 0; i < 2; i++) {
                try (RunningProgram client = client(port, "--message", "number " + i)) {
                    assertThat(client.awaitExit()).isZero();
                }
            }
            assertThat(server.awaitExit()).isZero();
            assertThat(server.lines())
                    .containsSubsequence(
                            "received message: number 0", "received message: number 1");
        }
    }

    @Test
    void shouldFailSoonWhenTheServerIsKilled() throws InterruptedException {
        // If the server sends no greeting, a client that waits for one stays connected.
        try (RunningProgram server = server("--no-greeting")) {
            try (RunningProgram client = client(server.awaitListeningPort())) {
                server.awaitLine("received message: ");
                client.awaitLine("send completed successfully.");

                server.kill();

                assertThat(client.awaitExit(SOON)).isEqualTo(1);
                assertThat(client.lines())
                        .contains("verbena: the server disconnected after 1 of 2 completions");
            }
        }
    }

    @Test
    void shouldSayThatNobodyListens() throws InterruptedException {
        int port;
        try (RunningProgram server = server()) {
            port = server.awaitListeningPort();
        }

        try (RunningProgram client = client(port)) {
            assertThat(client.awaitExit()).isEqualTo(1);
            // the receive that was posted may be reported before or after it
            assertThat(client.lines())
                    .anyMatch(line -> line.startsWith("verbena: nobody listens at "));
        }
    }

    private static RunningProgram server(String... options) {
        return RunningProgram.start(join(options, "send-recv", "server", "--port", "0"));
    }

    private static RunningProgram client(int port, String... options) {
        return RunningProgram.start(
                join(options, "send-recv", "client", "localhost", Integer.toString(port)));
    }

    private static String[] join(String[] options, String... command) {
        return Stream.of(command, options).flatMap(Arrays::stream).toArray(String[]::new);
    }
}
