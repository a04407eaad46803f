// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.Doorkeeper;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RecordingHandler;
import io.verbena.transport.SocketFixture;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.TransportServer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How many queue pairs a server makes for peers that have not proved anything. */
class NewcomerQueuePairsTest {
    private static final TransportFlags THREE =
            SocketFixture.FLAGS.with(TransportFlag.MAX_NEWCOMER_QUEUE_PAIRS, 3);

    private final SocketFixture fixture = new SocketFixture();
    private final List<AutoCloseable> peers = new ArrayList<>();
    private final List<RecordingHandler> handlers = new ArrayList<>();
    private TransportServer server;

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable peer : peers) {
            peer.close();
        }
        server.close();
        fixture.close();
    }

    private void start(TransportFlags flags) {
        server =
                TransportServer.bind(
                        fixture.transport,
                        SocketFixture.anyPort(),
                        SocketMode.RDMA,
                        flags,
                        Doorkeeper::new);
    }

    private Connection connect(int version) throws Exception {
        TransportFlags flags =
                SocketFixture.FLAGS.with(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, version);
        RecordingHandler handler = new RecordingHandler();
        handlers.add(handler);
        peers.add(
                new TransportClient(fixture.transport, SocketMode.RDMA, flags)
                        .connect(server.localAddress(), handler));
        return handler.awaitOpen();
    }

    private void connectThree(int version) throws Exception {
        for (int i = 0; i < 3; i++) {
            assertThat(connect(version).isRdma()).isTrue();
        }
    }

    private void expectEcho(Connection connection, String text) throws Exception {
        connection.write(fixture.text(text));
        handlers.getLast().awaitText(text);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldUseTcpIfTooManyHaveOne(int version) throws Exception {
        start(THREE);
        connectThree(version);

        Connection surplus = connect(version);

        expectEcho(surplus, "over TCP!");
        assertThat(surplus.handshakeState()).isEqualTo(HandshakeState.FALLBACK_TCP);
        assertThat(surplus.fallbackReason())
                .hasValueSatisfying(text -> assertThat(text).contains("max_newcomer_queue_pairs"));
        assertThat(
                        server.connections().stream()
                                .filter(c -> c.handshakeState() == HandshakeState.FALLBACK_TCP)
                                .map(Connection::fallbackReason)
                                .map(Object::toString))
                .containsExactly("Optional[" + HelloHandshake.TOO_MANY_NEWCOMERS + "]");
        assertThat(server.refusedQueuePairs()).isEqualTo(1);
        assertThat(server.droppedConnections()).isZero();
        assertThat(handlers).noneMatch(RecordingHandler::hasClosed);
    }

    @Test
    void shouldMakeOneAgainIfAPeerHasProvedItself() throws Exception {
        start(THREE);
        connectThree(2);
        assertThat(connect(2).isRdma()).isFalse();

        server.connections().stream().filter(Connection::isRdma).findAny().orElseThrow().admit();

        assertThat(connect(2).isRdma()).isTrue();
        assertThat(connect(2).isRdma()).isFalse();
    }

    @Test
    void shouldMakeOneAgainIfAPeerIsGone() throws Exception {
        start(THREE);
        connectThree(2);

        peers.getFirst().close();
        Eventually.be(2, () -> server.connections().size());

        assertThat(connect(2).isRdma()).isTrue();
    }

    @Test
    void shouldMakeOneAgainIfAPeerUsesTcpAfterAll() throws Exception {
        start(THREE);
        for (int i = 0; i < 3; i++) {
            RawPeer peer = RawPeer.connect(server.localAddress());
            peers.add(peer);
            byte[] hello = HelloV2.encode(fixture.hello());
            peer.send(hello).read(hello.length);
            peer.send(AckReader.encode(false)).send("over TCP");
            assertThat(peer.readText(8)).isEqualTo("over TCP");
        }

        connectThree(3);
        assertThat(server.refusedQueuePairs()).isZero();
    }

    @Test
    void shouldNotRenewAPeerThatHasOne() throws Exception {
        start(THREE.with(TransportFlag.NEWCOMER_TIMEOUT_MS, 2500));
        assertThat(connect(2).isRdma()).isTrue();
        Connection stranger = fixture.only(server);

        // renewed again and again, it would stay for ever
        Eventually.become(
                () -> {
                    stranger.renew();
                    return handlers.getFirst().hasClosed();
                },
                () -> stranger);

        assertThat(server.droppedConnections()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldNeitherDropNorKeepOutAnyoneDuringAFlood(int version) throws Exception {
        start(SocketFixture.FLAGS);
        for (int i = 0; i < 300; i++) {
            connect(version);
        }

        expectEcho(connect(version), "good client!");

        assertThat(server.connections()).hasSize(301);
        assertThat(server.connections().stream().filter(Connection::isRdma)).hasSize(256);
        assertThat(server.refusedQueuePairs()).isEqualTo(45);
        assertThat(server.droppedConnections()).isZero();
        assertThat(handlers).noneMatch(RecordingHandler::hasClosed);
    }
}
