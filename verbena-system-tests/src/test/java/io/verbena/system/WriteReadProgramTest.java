// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The two processes of the tutorial's {@code rdma_write_read}, line by line. */
final class WriteReadProgramTest {
    private static final Pattern COMPLETION =
            Pattern.compile(
                    "\\[on_completion\\] wr_id=0x[0-9a-f]+, status=0 \\(success\\),"
                            + " opcode=(\\d+), send_state=(\\d), recv_state=(\\d)");
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final int RECEIVE = 128;

    @ParameterizedTest
    @ValueSource(strings = {"write", "read"})
    void shouldExchangeTextsBothWays(String mode) throws InterruptedException {
        try (RunningProgram server = RunningProgram.start("write-read", "server", mode, "--once")) {
            int port = server.awaitListeningPort();
            try (RunningProgram client =
                    RunningProgram.start("write-read", "client", mode, "localhost", "" + port)) {
                assertThat(client.awaitExit()).as("%s", client.lines()).isZero();
                assertThat(server.awaitExit()).as("%s", server.lines()).isZero();

                String fromServer = "message from passive/server side with pid " + server.pid();
                String fromClient = "message from active/client side with pid " + client.pid();
                assertThat(client.lines()).startsWith("address resolved.", "route resolved.");
                assertExchange(client.lines(), 2, mode, fromServer, "disconnected.");
                assertThat(server.lines())
                        .startsWith(
                                "listening on port " + port + ".", "received connection request.");
                assertExchange(server.lines(), 2, mode, fromClient, "peer disconnected.");
            }
        }
    }

    /** What follows the first lines; one thread prints it all up to the disconnect. */
    private static void assertExchange(
            List<String> lines, int first, String mode, String text, String disconnected) {
        String word = mode.equals("write") ? "WRITE" : "READ";
        String action =
                mode.equals("write")
                        ? "writing message to remote memory..."
                        : "reading message from remote memory...";
        List<String> exchange = lines.subList(first, lines.size());
        assertStates(exchange, mode.equals("write") ? 1 : 2);
        assertThat(exchange.stream().filter("send completed successfully."::equals)).hasSize(3);
        int transfer = exchange.indexOf("received MSG_MR. " + action);
        assertThat(exchange.subList(transfer, transfer + 4))
                .element(1)
                .isEqualTo("[DEBUG] About to post RDMA " + word);
        assertThat(exchange.get(transfer + 2))
                .matches("\\[DEBUG\\] peer_mr.addr=0x[0-9a-f]+, peer_mr.rkey=0x[0-9a-f]+");
        assertThat(exchange.get(transfer + 3))
                .matches("\\[DEBUG\\] local_region=0x[0-9a-f]+, lkey=0x[0-9a-f]+");
        int end = exchange.size() - 4;
        assertThat(exchange.subList(end, end + 3))
                .containsExactly(
                        "[LOG] " + word + ": Both DONE, calling rdma_disconnect(conn->id)",
                        "remote buffer: " + text,
                        disconnected);
        assertThat(exchange.getLast())
                .matches(
                        "\\[LOG\\] destroy_connection called for conn=0x[0-9a-f]+, id=0x[0-9a-f]+");
        // Five completions, three of them of sends with a line each, the transfer, the end.
        assertThat(exchange).hasSize(5 + 3 + 4 + 4);
    }

    /** Each completion shows the states that the ones before it led to. */
    private static void assertStates(List<String> lines, int transferOpcode) {
        List<Integer> sent = new ArrayList<>();
        int received = 0;
        for (String line : lines) {
            Matcher matcher = COMPLETION.matcher(line);
            if (matcher.matches()) {
                assertThat(matcher.group(2)).as(line).isEqualTo(Integer.toString(sent.size()));
                assertThat(matcher.group(3)).as(line).isEqualTo(Integer.toString(received));
                int opcode = Integer.parseInt(matcher.group(1));
                if (opcode == RECEIVE) {
                    received++;
                } else {
                    sent.add(opcode);
                }
            }
        }
        assertThat(sent).containsExactly(0, transferOpcode, 0);
        assertThat(received).isEqualTo(2);
    }

    @Test
    void shouldTakeTheModeBeforeTheSideAndBehindTheAddress() throws InterruptedException {
        try (RunningProgram server =
                RunningProgram.start("write-read", "write", "server", "--once")) {
            String port = Integer.toString(server.awaitListeningPort());
            try (RunningProgram client =
                    RunningProgram.start("write-read", "client", "localhost", port, "write")) {
                assertThat(client.awaitExit()).isZero();
                assertThat(server.awaitExit()).isZero();
            }
        }
    }

    @Test
    void shouldFailOnBothSidesWhenTheModesDiffer() throws InterruptedException {
        try (RunningProgram server =
                RunningProgram.start("write-read", "server", "write", "--once")) {
            String port = Integer.toString(server.awaitListeningPort());
            try (RunningProgram client =
                    RunningProgram.start("write-read", "client", "read", "localhost", port)) {
                assertThat(client.awaitExit()).as("%s", client.lines()).isEqualTo(1);
                assertThat(server.awaitExit()).as("%s", server.lines()).isEqualTo(1);
                assertThat(client.lines()).anyMatch(line -> line.startsWith("verbena: "));
                assertThat(server.lines()).anyMatch(line -> line.startsWith("verbena: "));
            }
        }
    }

    @Test
    void shouldFailWhenTheClientLeavesTooEarly() throws InterruptedException {
        try (RunningProgram server =
                        RunningProgram.start("write-read", "server", "write", "--once");
                DeviceContext context = Devices.open()) {
            try (ProtectionDomain domain = context.allocateProtectionDomain();
                    CompletionQueue queue = context.createCompletionQueue(10)) {
                connect(context, domain, queue, server.awaitListeningPort()).close();
            }

            assertThat(server.awaitExit(SOON)).isEqualTo(1);
            assertThat(server.lines())
                    .contains("verbena: the peer disconnected too early, in SS_INIT and RS_INIT");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 56})
    void shouldRefuseAWrongMessage(int length) throws InterruptedException {
        try (RunningProgram server =
                        RunningProgram.start("write-read", "server", "read", "--once");
                DeviceContext context = Devices.open()) {
            try (ProtectionDomain domain = context.allocateProtectionDomain();
                    CompletionQueue queue = context.createCompletionQueue(10);
                    MemoryRegion region = domain.allocate(length, AccessFlag.LOCAL_WRITE);
                    Connector connector =
                            connect(context, domain, queue, server.awaitListeningPort());
                    Arena arena = Arena.ofConfined()) {
                region.memory().set(ValueLayout.JAVA_INT, 0, 7);
                QueuePair pair = connector.identifier().queuePair().orElseThrow();
                pair.postSend(SendWorkRequest.allocate(arena, 1).element(region, 0, length));

                assertThat(server.awaitExit(SOON)).isEqualTo(1);
            }
            assertThat(server.lines())
                    .contains(
                            length == 12
                                    ? "verbena: control message: 12 bytes (expected: 56)"
                                    : "verbena: control message type: 7 (expected: 0 MSG_MR or 1"
                                            + " MSG_DONE)");
        }
    }

    private static Connector connect(
            DeviceContext context, ProtectionDomain domain, CompletionQueue queue, int port)
            throws InterruptedException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Connector connector = Connector.resolve(context, address, SOON);
        connector.createQueuePair(domain, QueuePairOptions.of(queue).withRequests(10, 10));
        connector.connect(ConnectionParameters.DEFAULT);
        return connector;
    }
}
