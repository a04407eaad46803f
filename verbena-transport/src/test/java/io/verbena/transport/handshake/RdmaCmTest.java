// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionFixture;
import io.verbena.transport.Doorkeeper;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RecordingHandler;
import io.verbena.transport.SocketFixture;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.TransportServer;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.Side;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.Connector;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The older handshake, with the connection manager of the software device. */
class RdmaCmTest {
    private static final TransportFlags SERVER =
            ConnectionFixture.FLAGS.with(TransportFlag.RDMA_SERVER_USE_RDMACM, true);
    private static final TransportFlags CLIENT =
            ConnectionFixture.FLAGS.with(TransportFlag.RDMA_CLIENT_USE_RDMACM, true);
    private static final int TOKEN = 0x4321_8765;

    private final ConnectionFixture fixture =
            new ConnectionFixture(SocketMode.RDMA, ConnectionFixture.FLAGS);
    private final RecordingHandler handler = new RecordingHandler();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldKeepTheBytes() {
        assertThat(RdmaCmMessages.encodeClient(TOKEN)).isEqualTo(bytes("52444d41 43218765"));
        assertThat(RdmaCmMessages.encodeServer(0x0102030405060708L))
                .isEqualTo(bytes("0102030405060708"));
        assertThat(RdmaCmMessages.encodeRequest(5, TOKEN, HELLO))
                .isEqualTo(bytes("0000000000000005 43218765 00000080 00000080 00001fe0"));
        assertThat(RdmaCmMessages.encodeAnswer(HELLO))
                .isEqualTo(bytes("00000080 00000080 00001fe0"));
    }

    @Test
    void shouldTellTheHandshakesApart() {
        SecureRandom random = new SecureRandom();
        for (int i = 0; i < 10_000; i++) {
            byte[] message = RdmaCmMessages.encodeClient(RdmaCmMessages.token(random));
            assertThat(RdmaCmMessages.begins(ByteBuffer.wrap(message))).isTrue();
        }
        assertThat(RdmaCmMessages.begins(ByteBuffer.wrap(HelloV2.encode(HELLO)))).isFalse();
        assertThat(RdmaCmMessages.begins(ByteBuffer.wrap(HelloV3.encode(HELLO)))).isFalse();
    }

    @Test
    void shouldRefuseSizesThatCannotBe() {
        assertThat(RdmaCmMessages.decodeAnswer(bytes("00000080 00000080"))).isEmpty();
        assertThat(RdmaCmMessages.decodeAnswer(bytes("0000000f 00000080 00001fe0"))).isEmpty();
        assertThat(RdmaCmMessages.decodeAnswer(bytes("00000080 80000080 00001fe0"))).isEmpty();
        assertThat(RdmaCmMessages.decodeAnswer(bytes("00000080 00000080 00001fe0"))).isPresent();
    }

    @Test
    void shouldEcho() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, SERVER);

        Connection connection = connect(server);
        connection.write(fixture.text("PRPC hello"));

        handler.awaitText("PRPC hello");
        assertThat(connection.handshakeState()).isEqualTo(HandshakeState.ESTABLISHED);
        assertThat(connection.isRdma()).isTrue();
        assertThat(connection.statistics().handshakeVersion()).isEqualTo(1);
        assertThat(connection.statistics().localWindowCapacity()).isEqualTo(125);
        Connection served = fixture.only(server);
        assertThat(served.isRdma()).isTrue();
        connection.close();
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldUseTcpIfTooManyStrangersHaveAQueuePair() throws Exception {
        TransportFlags flags = SERVER.with(TransportFlag.MAX_NEWCOMER_QUEUE_PAIRS, 3);
        TransportClient client =
                new TransportClient(fixture.clientTransport(), SocketMode.RDMA, CLIENT);
        List<RecordingHandler> strangers = new ArrayList<>();
        try (TransportServer server =
                TransportServer.bind(
                        fixture.serverTransport(),
                        SocketFixture.anyPort(),
                        SocketMode.RDMA,
                        flags,
                        Doorkeeper::new)) {
            for (int i = 0; i < 3; i++) {
                RecordingHandler stranger = new RecordingHandler();
                strangers.add(stranger);
                client.connect(server.localAddress(), stranger);
                assertThat(stranger.awaitOpen().isRdma()).isTrue();
            }

            Connection surplus =
                    client.open(server.localAddress(), handler).get(20, TimeUnit.SECONDS);
            surplus.write(fixture.text("over TCP"));

            handler.awaitText("over TCP");
            assertThat(surplus.handshakeState()).isEqualTo(HandshakeState.FALLBACK_TCP);
            assertThat(surplus.fallbackReason())
                    .contains("the server refused: " + HelloHandshake.TOO_MANY_NEWCOMERS);
            assertThat(server.refusedQueuePairs()).isEqualTo(1);
            assertThat(server.droppedConnections()).isZero();
            assertThat(strangers).noneMatch(RecordingHandler::hasClosed);
        }
        for (RecordingHandler stranger : strangers) {
            stranger.awaitClose();
        }
        handler.awaitClose();
    }

    @Test
    void shouldReadWhyTheServerRefused() {
        byte[] reason = RdmaCmMessages.encodeRejection(HelloHandshake.TOO_MANY_NEWCOMERS);

        assertThat(reason.length).isLessThanOrEqualTo(ConnectionParameters.MAX_REJECT_DATA);
        assertThat(
                        RdmaCmMessages.decodeRejection(
                                Arrays.copyOf(reason, ConnectionParameters.MAX_REJECT_DATA)))
                .isEqualTo(HelloHandshake.TOO_MANY_NEWCOMERS);
        assertThat(RdmaCmMessages.decodeRejection(new byte[0])).isEmpty();
        assertThat(RdmaCmMessages.decodeRejection(bytes("66696e65 0a 6c6965"))).isEqualTo("fine");
    }

    @ParameterizedTest
    @CsvSource({"RDMA, 2, ESTABLISHED", "RDMA, 3, ESTABLISHED", "TCP, 2, UNINIT"})
    void shouldTakeOtherClientsOnTheSamePort(SocketMode mode, int version, HandshakeState state)
            throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, SERVER);

        Connection connection =
                fixture.client(mode, version)
                        .open(server.localAddress(), handler)
                        .get(20, TimeUnit.SECONDS);
        connection.write(fixture.text("PRPC hello"));

        handler.awaitText("PRPC hello");
        assertThat(connection.handshakeState()).isEqualTo(state);
        connection.close();
        handler.awaitClose();
    }

    @Test
    void shouldUseTcpIfTheServerSaysSo() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, SERVER);
        fixture.serverTransport().disableRdma();

        Connection connection = connect(server);
        connection.write(fixture.text("PRPC"));

        handler.awaitText("PRPC");
        assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FALLBACK_TCP);
        assertThat(connection.fallbackReason()).contains("the server has no usable device");
        connection.close();
        handler.awaitClose();
    }

    @Test
    void shouldUseTcpIfNobodyListensWithTheConnectionManager() throws Exception {
        try (RawListener listener = new RawListener()) {
            new TransportClient(fixture.clientTransport(), SocketMode.RDMA, CLIENT)
                    .connect(listener.address(), handler);
            try (RawPeer server = listener.accept()) {
                assertThat(RdmaCmMessages.begins(ByteBuffer.wrap(server.read(8)))).isTrue();
                server.send(RdmaCmMessages.encodeServer(7));

                assertThat(server.read(4)).isEqualTo(AckReader.encode(false));
                Connection connection = handler.awaitOpen();
                assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FALLBACK_TCP);
                server.send("DATA");
                handler.awaitText("DATA");
            }
        }
        handler.awaitClose();
    }

    @Test
    void shouldDropAClientOfTheOlderHandshakeUnlessEnabled() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(RdmaCmMessages.encodeClient(TOKEN)).expectEnd();
        }
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EPROTO);
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "0, 1", "1, 1"})
    void shouldRejectRequestsWithWrongIdOrToken(int idError, int tokenError) throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, SERVER);
        try (RawPeer client = RawPeer.connect(server.localAddress());
                Connector connector =
                        Connector.resolve(
                                fixture.clientDevice(),
                                server.localAddress(),
                                Duration.ofSeconds(30))) {
            client.send(RdmaCmMessages.encodeClient(TOKEN));
            long id = ByteBuffer.wrap(client.read(8)).getLong();
            RdmaEndpoint endpoint =
                    fixture.clientEndpoints().allocate(Side.CLIENT, connector.identifier());
            byte[] wrong =
                    RdmaCmMessages.encodeRequest(
                            id + idError, TOKEN + tokenError, endpoint.hello());

            assertThatThrownBy(
                            () ->
                                    connector.connect(
                                            ConnectionParameters.DEFAULT.withPrivateData(wrong)))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("refused");

            endpoint.abort(new TransportException(TransportError.ECLOSE, "done"));
            client.send(AckReader.encode(false)).send("PRPC");
            assertThat(client.readText(4)).isEqualTo("PRPC");
        }
    }

    @Test
    void shouldFailOnBytesWhileItWaits() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, SERVER);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(RdmaCmMessages.encodeClient(TOKEN)).read(8);
            Eventually.be(HandshakeState.S_ACK_WAIT, () -> fixture.only(server).handshakeState());

            client.send("JUNK".replace('K', '\u0001')).expectEnd();
        }
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EPROTO);
    }

    @Test
    void shouldEndIfNoRequestComes() throws Exception {
        TransportServer server =
                fixture.server(
                        SocketMode.RDMA,
                        SERVER.with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 1000));
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(RdmaCmMessages.encodeClient(TOKEN)).read(8);

            client.expectEnd();
        }
        assertThat(fixture.nextAccepted().awaitClose().error())
                .isEqualTo(TransportError.ERPCTIMEDOUT);
    }

    private Connection connect(TransportServer server) throws Exception {
        return new TransportClient(fixture.clientTransport(), SocketMode.RDMA, CLIENT)
                .open(server.localAddress(), handler)
                .get(20, TimeUnit.SECONDS);
    }
}
