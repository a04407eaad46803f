// SPDX-License-Identifier: Apache-2.0

package io.verbena.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Program;
import io.verbena.testing.RunningProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sockets and the message queue with a peer in C, in both roles, and with each other. */
@InLab
final class SocketInteropTest {
    private static final int SENDERS = 100;

    private static final String PEER = CPrograms.program("rdma_socket_peer");

    private static RunningCommand receiver(int count, String protocol) {
        return RunningCommand.start(
                "mq",
                "receive",
                "--device",
                Guest.DEVICE,
                "--port",
                "0",
                "--count",
                "" + count,
                "--compat",
                protocol);
    }

    private static String text(int node, int number, int size) {
        String start = "message " + number + " of node " + node + " ";
        return start + ".".repeat(Math.max(0, size - start.length()));
    }

    @Test
    void shouldReceiveGroupsOfAHundredSendersInC() throws InterruptedException {
        int each = 6;
        try (Program receiver = receiver(SENDERS * each, "native")) {
            String port = receiver.awaitLine("receiving on port ");
            try (RunningProcess senders =
                    LabProcess.start(
                            PEER,
                            "send",
                            Guest.address(),
                            port,
                            "1",
                            "" + SENDERS,
                            "" + each,
                            "300",
                            "2")) {
                assertThat(receiver.awaitExit()).as("%s\n%s", receiver, senders).isZero();
                assertThat(senders.awaitExit()).as("%s", senders).isZero();
            }
            assertGroups(receiver.lines().subList(1, 1 + SENDERS * each), each);
        }
    }

    /** Two groups of three of each sender, contiguous and in order. */
    private static void assertGroups(List<String> lines, int each) {
        int[] next = new int[SENDERS + 1];
        for (int i = 0; i < lines.size(); i += 3) {
            int node = Integer.parseInt(lines.get(i).replaceAll("node (\\d+),.*", "$1"));
            List<String> expected = new ArrayList<>();
            for (int frame = 0; frame < 3; frame++) {
                int number = next[node]++;
                int flag = frame < 2 ? 128 : 0;
                expected.add("node " + node + ", flag " + flag + ": " + text(node, number, 300));
            }
            assertThat(lines.subList(i, i + 3)).isEqualTo(expected);
        }
        for (int node = 1; node <= SENDERS; node++) {
            assertThat(next[node]).isEqualTo(each);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 64, 70_000})
    void shouldSendGroupsToTheCReceiver(int size) throws InterruptedException {
        try (RunningProcess receiver = LabProcess.start(PEER, "receive", "0", "1")) {
            String port = receiver.awaitListeningPort();
            try (Program sender =
                    RunningCommand.start(
                            "mq",
                            "send",
                            "--device",
                            Guest.DEVICE,
                            "--host",
                            Guest.address(),
                            "--port",
                            port,
                            "--node-id",
                            "9",
                            "--count",
                            "60",
                            "--size",
                            "" + size,
                            "--more",
                            "4")) {
                assertThat(sender.awaitExit()).as("%s\n%s", sender, receiver).isZero();
            }
            assertThat(receiver.awaitExit()).as("%s", receiver).isZero();
            List<String> lines = receiver.lines();
            for (int i = 0; i < 60; i++) {
                int flag = i % 5 == 4 ? 0 : 128;
                assertThat(lines.get(i + 1))
                        .isEqualTo(
                                "node 9, flag "
                                        + flag
                                        + ": "
                                        + text(9, i, size).substring(0, size));
            }
            assertThat(lines).contains("node 9 closed");
        }
    }

    @Test
    void shouldAnswerTheCClient() throws InterruptedException {
        try (Program server =
                RunningCommand.start(
                        "socket",
                        "server",
                        "--device",
                        Guest.DEVICE,
                        "--port",
                        "0",
                        "--connections",
                        "1")) {
            String port = server.awaitListeningPort();
            try (RunningProcess client =
                    LabProcess.start(PEER, "call", Guest.address(), port, "5", "20", "5000")) {
                assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
                assertThat(client.lines()).contains("answer: " + text(5, 19, 5000));
            }
            assertThat(server.awaitExit()).as("%s", server).isZero();
            assertThat(server.lines()).contains("node 5 connected, seed", "node 5 closed");
        }
    }

    @Test
    void shouldBeAnsweredByTheCServer() throws InterruptedException {
        try (RunningProcess server = LabProcess.start(PEER, "echo", "0")) {
            String port = server.awaitListeningPort();
            try (Program client =
                    RunningCommand.start(
                            "socket",
                            "client",
                            "--device",
                            Guest.DEVICE,
                            "--host",
                            Guest.address(),
                            "--port",
                            port,
                            "--node-id",
                            "8",
                            "--count",
                            "20",
                            "--size",
                            "5000")) {
                assertThat(client.awaitExit()).as("%s\n%s", client, server).isZero();
                assertThat(client.lines()).contains(text(8, 19, 5000));
            }
            assertThat(server.awaitExit()).as("%s", server).isZero();
            assertThat(server.lines()).contains("node 8 closed");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"native", "seed"})
    void shouldTalkToEachOther(String protocol) throws InterruptedException {
        int count = 300;
        try (Program receiver = receiver(count, protocol)) {
            String port = receiver.awaitLine("receiving on port ");
            try (Program sender =
                    RunningCommand.start(
                            "mq",
                            "send",
                            "--device",
                            Guest.DEVICE,
                            "--host",
                            Guest.address(),
                            "--port",
                            port,
                            "--node-id",
                            "2",
                            "--count",
                            "" + count,
                            "--size",
                            "100",
                            "--more",
                            "1")) {
                assertThat(receiver.awaitExit()).as("%s\n%s", receiver, sender).isZero();
            }
            List<String> lines = receiver.lines();
            for (int i = 0; i < count; i++) {
                assertThat(lines.get(i + 1)).endsWith(": " + text(2, i, 100));
            }
        }
    }
}
