// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import io.verbena.testing.RunningProcess;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tutorial's programs with peers in C, in both roles. */
@InLab
final class TutorialInteropTest {
    private static final String SERVER = "message from passive/server side with pid ";
    private static final String CLIENT = "message from active/client side with pid ";

    private static final String SEND_RECEIVE_PEER = CPrograms.program("send_recv_peer");
    private static final String WRITE_READ_PEER = CPrograms.program("write_read_peer");

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReceiveFromAndGreetTheCClient(boolean greeting) throws InterruptedException {
        try (Program server =
                RunningCommand.start(
                        command(
                                greeting,
                                "send-recv",
                                "server",
                                "--device",
                                Guest.DEVICE,
                                "--port",
                                "0",
                                "--once"))) {
            String port = server.awaitListeningPort();
            try (RunningProcess client =
                    LabProcess.start(
                            command(
                                    greeting,
                                    SEND_RECEIVE_PEER,
                                    "client",
                                    Guest.address(),
                                    port))) {
                assertMessages(server, client, greeting);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldSendToTheCServer(boolean greeting) throws InterruptedException {
        try (RunningProcess server =
                LabProcess.start(command(greeting, SEND_RECEIVE_PEER, "server", "0"))) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            command(
                                    greeting,
                                    "send-recv",
                                    "client",
                                    "--device",
                                    Guest.DEVICE,
                                    Guest.address(),
                                    port))) {
                assertMessages(server, client, greeting);
            }
        }
    }

    private static String[] command(boolean greeting, String... words) {
        if (greeting) {
            return words;
        }
        String[] silent = Arrays.copyOf(words, words.length + 1);
        silent[words.length] = "--no-greeting";
        return silent;
    }

    private static void assertMessages(Program server, Program client, boolean greeting)
            throws InterruptedException {
        assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
        assertThat(server.awaitExit()).as("%s\n%s", server, client).isZero();
        assertThat(server.lines())
                .contains("received message: " + CLIENT + client.pid(), "peer disconnected.");
        assertThat(client.lines()).contains("send completed successfully.", "disconnected.");
        if (greeting) {
            assertThat(client.lines()).contains("received message: " + SERVER + server.pid());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "read"})
    void shouldExchangeTextsWithTheCClient(String mode) throws InterruptedException {
        try (Program server =
                RunningCommand.start(
                        "write-read", "server", mode, "--device", Guest.DEVICE, "--once")) {
            String port = server.awaitListeningPort();
            try (RunningProcess client =
                    LabProcess.start(WRITE_READ_PEER, "client", mode, Guest.address(), port)) {
                assertTexts(server, client);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "read"})
    void shouldExchangeTextsWithTheCServer(String mode) throws InterruptedException {
        try (RunningProcess server = LabProcess.start(WRITE_READ_PEER, "server", mode)) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "write-read",
                            "client",
                            mode,
                            "--device",
                            Guest.DEVICE,
                            Guest.address(),
                            port)) {
                assertTexts(server, client);
            }
        }
    }

    private static void assertTexts(Program server, Program client) throws InterruptedException {
        assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
        assertThat(server.awaitExit()).as("%s\n%s", server, client).isZero();
        assertThat(client.lines()).contains("remote buffer: " + SERVER + server.pid());
        assertThat(server.lines()).contains("remote buffer: " + CLIENT + client.pid());
    }
}
