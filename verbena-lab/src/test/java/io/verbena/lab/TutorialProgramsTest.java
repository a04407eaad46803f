// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Both sides are this project's, on a kernel device: the same programs as on the software device.
 * One of them is the published program, in a process of its own; the others are only threads.
 */
@InLab
final class TutorialProgramsTest {
    @Test
    void shouldSendAndReceive() throws InterruptedException {
        try (Program server =
                LabProcess.verbena(
                        "send-recv", "server", "-d", Guest.DEVICE, "--port", "0", "--once")) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "send-recv",
                            "client",
                            "-d",
                            Guest.DEVICE,
                            Guest.address(),
                            port,
                            "-m",
                            "你好")) {
                assertEnd(server, client);
                assertThat(server.lines()).contains("received message: 你好");
                assertThat(client.lines())
                        .contains(
                                "received message: message from passive/server side with pid "
                                        + server.pid());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"write", "read"})
    void shouldWriteAndRead(String mode) throws InterruptedException {
        try (Program server =
                RunningCommand.start("write-read", "server", mode, "-d", Guest.DEVICE, "--once")) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "write-read",
                            "client",
                            mode,
                            "-d",
                            Guest.DEVICE,
                            Guest.address(),
                            port)) {
                assertEnd(server, client);
                assertThat(server.lines())
                        .contains(
                                "remote buffer: message from active/client side with pid "
                                        + client.pid());
                assertThat(client.lines())
                        .contains(
                                "remote buffer: message from passive/server side with pid "
                                        + server.pid());
            }
        }
    }

    @Test
    void shouldPingPong() throws InterruptedException {
        try (Program server =
                RunningCommand.start(
                        "rc-pingpong", "-p", "0", "-d", Guest.DEVICE, "-n", "20", "-c")) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "rc-pingpong",
                            "localhost",
                            "-p",
                            port,
                            "-d",
                            Guest.DEVICE,
                            "-n",
                            "20",
                            "-c")) {
                assertEnd(server, client);
                assertThat(server.lines()).last().asString().startsWith("20 iters in ");
            }
        }
    }

    @Test
    void shouldPing() throws InterruptedException {
        try (Program server =
                RunningCommand.start("rping", "-s", "-p", "0", "--device", Guest.DEVICE, "-v")) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "rping",
                            "-c",
                            "-a",
                            Guest.address(),
                            "-p",
                            port,
                            "--device",
                            Guest.DEVICE,
                            "-C",
                            "5",
                            "-V")) {
                assertEnd(server, client);
                assertThat(server.lines())
                        .filteredOn(line -> line.startsWith("server ping data: "))
                        .hasSize(5);
            }
        }
    }

    private static void assertEnd(Program server, Program client) throws InterruptedException {
        assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
        assertThat(server.awaitExit()).as("%s\n%s", server, client).isZero();
    }
}
