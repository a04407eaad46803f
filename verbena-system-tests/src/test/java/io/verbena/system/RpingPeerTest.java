// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Connector;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.MemoryRegion;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How {@code rping} handles a peer that does not follow its protocol. */
final class RpingPeerTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** How long a program waits for its peer, which is this test. */
    private static final int PATIENCE_SECONDS = 15;

    /** What a peer does on its connection. */
    private interface Script {
        void play(RpingPeer peer) throws InterruptedException;
    }

    @Test
    void shouldRefuseAMessageThatIsNoLocation() throws InterruptedException {
        assertServerFails(peer -> peer.sendBytes(3), "Received bogus data, size 3 (expected: 16)");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 65537, -1})
    void shouldRefuseALengthThatNoPingHas(int length) throws InterruptedException {
        assertServerFails(
                peer -> peer.sendLocation(peer.data().address(), peer.data().rkey(), length),
                "length of the client's data: "
                        + Integer.toUnsignedString(length)
                        + " (expected: 1..65536)");
    }

    @Test
    void shouldRefuseDataWithoutItsEnd() throws InterruptedException {
        assertServerFails(
                peer -> {
                    peer.data().memory().fill((byte) 'x');
                    peer.sendLocation(peer.data().address(), peer.data().rkey(), 64);
                },
                "ping data: 64 bytes (expected: a NUL at their end)");
    }

    @Test
    void shouldReportThatTheDataCannotBeRead() throws InterruptedException {
        assertServerFails(
                peer -> peer.sendLocation(peer.data().address(), ~peer.data().rkey(), 64),
                "cq completion failed status 10 (REMOTE_ACCESS)");
    }

    @Test
    void shouldNotWriteMoreThanTheClientHasRoomFor() throws InterruptedException {
        assertServerFails(
                peer -> {
                    MemoryRegion data = peer.data();
                    data.memory().setString(0, "a text");
                    peer.sendLocation(data.address(), data.rkey(), 64);
                    peer.receive();
                    peer.sendLocation(data.address(), data.rkey(), 6);
                },
                "length of the client's sink: 6 (expected: at least 7)");
    }

    @Test
    void shouldNotWaitForEverForAPing() throws InterruptedException {
        assertServerFails(1, _ -> {}, "the peer has been silent for 1 s");
    }

    @Test
    void shouldSayThatTheClientLeftInTheMiddle() throws InterruptedException {
        try (RunningProgram server = RunningProgram.start("rping", "-s", "-p", "0");
                DeviceContext context = Devices.open()) {
            try (Connector connector = connect(context, server);
                    RpingPeer peer = new RpingPeer(connector.identifier())) {
                connector.connect(ConnectionParameters.DEFAULT);
                peer.sendLocation(peer.data().address(), peer.data().rkey(), 64);
                peer.receive();
                connector.identifier().disconnect();
            }

            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines())
                    .contains("server DISCONNECT EVENT...")
                    .last()
                    .isEqualTo(
                            "verbena: wait for RDMA_WRITE_ADV:"
                                    + " the peer disconnected in the middle of a ping");
        }
    }

    private static void assertServerFails(Script script, String message)
            throws InterruptedException {
        assertServerFails(PATIENCE_SECONDS, script, message);
    }

    private static void assertServerFails(int timeoutSeconds, Script script, String message)
            throws InterruptedException {
        String timeout = Integer.toString(timeoutSeconds);
        try (RunningProgram server =
                        RunningProgram.start("rping", "-s", "-p", "0", "--timeout", timeout);
                DeviceContext context = Devices.open();
                Connector connector = connect(context, server);
                RpingPeer peer = new RpingPeer(connector.identifier())) {
            connector.connect(ConnectionParameters.DEFAULT);
            script.play(peer);

            assertThat(server.awaitExit()).isEqualTo(1);
            assertThat(server.lines()).last().isEqualTo("verbena: " + message);
        }
    }

    private static Connector connect(DeviceContext context, RunningProgram server)
            throws InterruptedException {
        int port = Integer.parseInt(server.awaitLine("listening on port "));
        return Connector.resolve(
                context, new InetSocketAddress(InetAddress.getLoopbackAddress(), port), LIMIT);
    }

    @Test
    void shouldFindThatTheAnswerIsAnotherThanThePing() throws InterruptedException {
        assertClientFails(
                peer -> {
                    peer.receive();
                    peer.sendBytes(16);
                    peer.receive();
                    peer.data().memory().setString(0, "rdma-ping-0: ABCDEFGHI.");
                    peer.writeBack(24);
                    peer.sendBytes(16);
                },
                "data mismatch!");
    }

    @Test
    void shouldFindThatThereIsNoAnswer() throws InterruptedException {
        assertClientFails(
                peer -> {
                    peer.receive();
                    peer.sendBytes(16);
                    peer.receive();
                    peer.sendBytes(16);
                },
                "data mismatch!");
    }

    @Test
    void shouldRefuseAGoAheadThatIsNone() throws InterruptedException {
        assertClientFails(
                peer -> {
                    peer.receive();
                    peer.sendBytes(0);
                },
                "Received bogus data, size 0 (expected: 16)");
    }

    @Test
    void shouldNotWaitForEverForAGoAhead() throws InterruptedException {
        assertClientFails(1, RpingPeer::receive, "the peer has been silent for 1 s");
    }

    private static void assertClientFails(Script script, String message)
            throws InterruptedException {
        assertClientFails(PATIENCE_SECONDS, script, message);
    }

    private static void assertClientFails(int timeoutSeconds, Script script, String message)
            throws InterruptedException {
        String timeout = Integer.toString(timeoutSeconds);
        try (DeviceContext context = Devices.open();
                ConnectionListener listener = listen(context);
                RunningProgram client = startClient(listener, "--timeout", timeout);
                ConnectionRequest request = listener.awaitRequest(LIMIT).orElseThrow();
                RpingPeer peer = new RpingPeer(request.identifier())) {
            request.accept(ConnectionParameters.DEFAULT, LIMIT);
            script.play(peer);

            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines()).last().isEqualTo("verbena: " + message);
        }
    }

    @Test
    void shouldSayThatTheServerLeft() throws InterruptedException {
        try (DeviceContext context = Devices.open();
                ConnectionListener listener = listen(context);
                RunningProgram client = startClient(listener)) {
            try (ConnectionRequest request = listener.awaitRequest(LIMIT).orElseThrow();
                    RpingPeer peer = new RpingPeer(request.identifier())) {
                request.accept(ConnectionParameters.DEFAULT, LIMIT);
                peer.receive();
                request.identifier().disconnect();
            }

            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .last()
                    .isEqualTo(
                            "verbena: wait for RDMA_WRITE_ADV:"
                                    + " the peer disconnected in the middle of a ping");
        }
    }

    @Test
    void shouldSayThatTheServerRefuses() throws InterruptedException {
        try (DeviceContext context = Devices.open();
                ConnectionListener listener = listen(context);
                RunningProgram client = startClient(listener)) {
            listener.awaitRequest(LIMIT).orElseThrow().reject(new byte[0]);

            assertThat(client.awaitExit()).isEqualTo(1);
            assertThat(client.lines())
                    .last()
                    .asString()
                    .startsWith("verbena: rdma_connect failed: ")
                    .contains(" refused, reason 28");
        }
    }

    private static ConnectionListener listen(DeviceContext context) {
        return ConnectionListener.listen(
                context, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 1);
    }

    private static RunningProgram startClient(ConnectionListener listener, String... options) {
        String port = Integer.toString(listener.localAddress().getPort());
        String[] command = {
            "rping", "-c", "-a", "localhost", "-p", port, "-C", "1", "-S", "24", "-V"
        };
        String[] all = Arrays.copyOf(command, command.length + options.length);
        System.arraycopy(options, 0, all, command.length, options.length);
        return RunningProgram.start(all);
    }
}
