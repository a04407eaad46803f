// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static io.verbena.transport.handshake.HelloBaselineTest.zeros;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.EndpointKind;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.RecordingHandler;
import io.verbena.transport.SocketFixture;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.rdma.Hello;
import io.verbena.verbs.Gid;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * brpc's cases of a client under a raw server, by their names. Where brpc's RPC ends by its own
 * timer, here the handshake's time limit ends the connection.
 */
@ParameterizedClass
@MethodSource("io.verbena.transport.rdma.DeviceUnderTest#kinds")
class ClientUnderRawServerTest {
    private static final TransportFlags IMPATIENT =
            SocketFixture.FLAGS.with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 2500);

    private final EndpointKind kind;
    private final SocketFixture fixture;
    private final RecordingHandler handler = new RecordingHandler();
    private RawListener listener;

    ClientUnderRawServerTest(EndpointKind kind) {
        this.kind = kind;
        this.fixture = new SocketFixture(kind);
    }

    @BeforeEach
    void listen() throws Exception {
        listener = new RawListener();
    }

    @AfterEach
    void close() throws Exception {
        listener.close();
        fixture.close();
    }

    @Test
    void serverMissBeforeHelloSend() throws Exception {
        Connection connection = call(IMPATIENT);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);

            expectFailed(connection, TransportError.ERPCTIMEDOUT);
        }
    }

    @Test
    void serverCloseBeforeHelloSend() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);
        }

        expectFailed(connection, TransportError.EEOF);
    }

    @Test
    void serverMissDuringMagicStr() throws Exception {
        expectTimeOutAfter("RD");
    }

    @Test
    void serverCloseDuringMagicStr() throws Exception {
        expectEndAfter("RD");
    }

    @Test
    void serverHelloInvalidMagicStr() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);

            server.send("ABCD");

            expectFailed(connection, TransportError.EPROTO);
            server.expectEnd();
        }
    }

    @Test
    void serverMissDuringHelloMsg() throws Exception {
        expectTimeOutAfter("RDMA\0\50");
    }

    @Test
    void serverCloseDuringHelloMsg() throws Exception {
        expectEndAfter("RDMA\0\50");
    }

    @Test
    void serverHelloInvalidMsgLen() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);

            server.send(bytes("52444d41 0023" + zeros(34)));

            expectFailed(connection, TransportError.EPROTO);
        }
    }

    @Test
    void serverHelloInvalidVersion() throws Exception {
        expectFallback(bytes("52444d41 0028" + zeros(34)));
    }

    /** brpc's case also has a wrong version, which could mask the check of the sizes. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void serverHelloInvalidSqRqSize(int version) throws Exception {
        Hello hello = new Hello(8160, 0, 0, 0, Gid.ZERO, 1, Optional.empty());
        byte[] message = HelloV2.encode(hello);
        message[7] = (byte) version;

        expectFallback(message);
    }

    @Test
    void serverHelloOfTcpServer() throws Exception {
        expectFallback(HelloV2.encodeTcpServer());
    }

    @Test
    void serverMissAfterAck() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = establish(connection)) {
            // The bytes went to the queue pair: TCP stays silent, and nothing ends on its own.
            Eventually.be(4L, () -> connection.statistics().sentBytes());
            assertThat(handler.hasClosed()).isFalse();
            connection.abort(new TransportException(TransportError.ERPCTIMEDOUT, "the call's"));
            server.expectEnd();
            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ERPCTIMEDOUT);
        }
    }

    @Test
    void serverCloseAfterAck() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);

        establish(connection).close();

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void serverSendDataOnTcpAfterAck() throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = establish(connection)) {
            server.send("JUNK");

            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EPROTO);
            server.expectEnd();
        }
    }

    @Test
    void v2ClientHelloBytesBaseline() throws Exception {
        call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHello(server, HelloBaselineTest.V2);
        }
        handler.awaitClose();
    }

    @Test
    void v3ClientHelloBytesBaseline() throws Exception {
        call(SocketFixture.FLAGS.with(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, 3));
        try (RawPeer server = listener.accept()) {
            expectHello(server, HelloBaselineTest.V3);
        }
        handler.awaitClose();
    }

    @Test
    void clientAllocResourceFailFallbackTcp() throws Exception {
        fixture.endpoints.failAllocation();

        expectPlainTcp(HandshakeState.FALLBACK_TCP);
    }

    @Test
    void tryGlobalDisableRdma() throws Exception {
        fixture.transport.disableRdma();

        Connection connection = expectPlainTcp(HandshakeState.FALLBACK_TCP);
        assertThat(fixture.transport.isRdmaAvailable()).isFalse();
        assertThat(connection.fallbackReason()).contains("this side has no usable device");
    }

    @Test
    void clientBringUpFailFallbackTcp() throws Exception {
        fixture.endpoints.failBringUp();

        expectFallback(HelloV2.encode(fixture.hello()));
    }

    @Test
    void clientReadsHelloByteByByte() throws Exception {
        Connection connection = connect();
        try (RawPeer server = listener.accept()) {
            server.read(40);
            byte[] hello = HelloV2.encode(fixture.hello());
            for (int i = 0; i < hello.length; i++) {
                server.send(hello, i, i + 1);
            }

            assertThat(server.read(4)).isEqualTo(AckReader.encode(true));
            Eventually.be(HandshakeState.ESTABLISHED, connection::handshakeState);
        }
        handler.awaitClose();
    }

    /** What a server sends after its refusal belongs to the user, even in the same segment. */
    @Test
    void shouldDeliverBytesThatFollowRefusal() throws Exception {
        connect();
        try (RawPeer server = listener.accept()) {
            server.read(40);
            server.send(
                    ByteBuffer.allocate(44)
                            .put(HelloV2.encodeRefusal())
                            .put(bytes("50525043"))
                            .array());

            handler.awaitText("PRPC");
        }
        handler.awaitClose();
    }

    /** Bytes written during the handshake go out after the ACK, in order. */
    @Test
    void shouldHoldWritesUntilTheHandshakeIsOver() throws Exception {
        Connection connection = connect();
        connection.write(fixture.text("PR"));
        try (RawPeer server = listener.accept()) {
            server.read(40);
            connection.write(fixture.text("PC"));
            assertThat(connection.unwrittenBytes()).isEqualTo(4);

            server.send(HelloV2.encodeRefusal());

            assertThat(server.read(8)).isEqualTo(bytes("00000000 50525043"));
        }
        handler.awaitClose();
    }

    @Test
    void shouldDeliverWhatWasWrittenBeforeAnEarlyClose() throws Exception {
        Connection connection = connect();
        connection.write(fixture.text("LAST"));
        connection.close();
        try (RawPeer server = listener.accept()) {
            server.read(40);
            server.send(HelloV2.encodeRefusal());

            assertThat(server.read(8)).isEqualTo(bytes("00000000 4c415354"));
            server.expectEnd();
        }
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 6, 39})
    void shouldEndIfTheServerResetsInTheMiddleOfItsHello(int sent) throws Exception {
        Connection connection = connect();
        RawPeer server = listener.accept();
        server.read(40);
        server.send(HelloV2.encode(fixture.hello()), 0, sent);
        server.reset();

        assertThat(handler.awaitClose().error())
                .isIn(TransportError.ECONNRESET, TransportError.EEOF);
        assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FAILED);
    }

    /** The bytes of a baseline if there is no queue pair, otherwise those of a real one. */
    private void expectHello(RawPeer server, String baseline) throws Exception {
        if (kind == EndpointKind.DEVICE) {
            assertThat(server.readOffer().receiveQueueSize()).isEqualTo(128);
        } else {
            assertThat(server.read(bytes(baseline).length)).isEqualTo(bytes(baseline));
        }
    }

    /** {@return a connection that was written to at once, as a call does} */
    private Connection call(TransportFlags flags) {
        Connection connection = fixture.connect(listener, handler, flags);
        connection.write(fixture.text("PRPC"));
        return connection;
    }

    private static void expectHelloWait(Connection connection, RawPeer server) throws Exception {
        server.read(40);
        Eventually.be(HandshakeState.C_HELLO_WAIT, connection::handshakeState);
    }

    private Connection connect() {
        return fixture.connect(listener, handler, SocketFixture.FLAGS);
    }

    private RawPeer establish(Connection connection) throws Exception {
        RawPeer server = listener.accept();
        fixture.bringUpPeer(server.readOffer());
        server.send(HelloV2.encode(fixture.hello()));
        assertThat(server.read(4)).isEqualTo(AckReader.encode(true));
        assertThat(handler.awaitOpen().isRdma()).isTrue();
        assertThat(connection.handshakeState()).isEqualTo(HandshakeState.ESTABLISHED);
        return server;
    }

    private void expectFailed(Connection connection, TransportError reason) throws Exception {
        assertThat(handler.awaitClose().error()).isEqualTo(reason);
        assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FAILED);
        assertThat(handler.hasOpened()).isFalse();
    }

    private void expectTimeOutAfter(String sent) throws Exception {
        Connection connection = call(IMPATIENT);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);
            server.send(sent);

            expectFailed(connection, TransportError.ERPCTIMEDOUT);
        }
    }

    private void expectEndAfter(String sent) throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);
            server.send(sent);
        }
        expectFailed(connection, TransportError.EEOF);
    }

    private void expectFallback(byte[] serverHello) throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            expectHelloWait(connection, server);
            server.send(serverHello);

            assertThat(server.read(4)).isEqualTo(AckReader.encode(false));
            handler.awaitOpen();
            assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FALLBACK_TCP);
            assertThat(connection.rdmaState()).isEqualTo(RdmaState.RDMA_OFF);
            expectEcho(connection, server);
        }
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    /** Not one byte of a handshake is sent. */
    private Connection expectPlainTcp(HandshakeState state) throws Exception {
        Connection connection = call(SocketFixture.FLAGS);
        try (RawPeer server = listener.accept()) {
            handler.awaitOpen();
            assertThat(connection.handshakeState()).isEqualTo(state);
            assertThat(connection.isRdma()).isFalse();
            expectEcho(connection, server);
        }
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
        return connection;
    }

    private void expectEcho(Connection connection, RawPeer server) throws Exception {
        assertThat(server.readText(4)).isEqualTo("PRPC");
        server.send("BACK");
        handler.awaitText("BACK");
        connection.write(fixture.text("MORE"));
        assertThat(server.readText(4)).isEqualTo("MORE");
    }
}
