// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.EndpointKind;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RdmaState;
import io.verbena.transport.SocketFixture;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportServer;
import io.verbena.transport.rdma.Hello;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** brpc's cases of a server under a raw client, by their names. */
@ParameterizedClass
@MethodSource("io.verbena.transport.rdma.DeviceUnderTest#kinds")
class ServerUnderRawClientTest {
    private static final byte[] ACK = AckReader.encode(true);
    private static final byte[] NO_ACK = AckReader.encode(false);

    private final EndpointKind kind;
    private final SocketFixture fixture;
    private final TransportServer server;
    private final Hello hello;

    ServerUnderRawClientTest(EndpointKind kind) {
        this.kind = kind;
        this.fixture = new SocketFixture(kind);
        this.server = fixture.server();
        this.hello = fixture.hello();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void clientCloseBeforeHelloSend() throws Exception {
        try (RawPeer _ = connect()) {
            expect(HandshakeState.UNINIT, RdmaState.RDMA_UNKNOWN);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void clientHelloMsgInvalidMagicStr() throws Exception {
        try (RawPeer client = connect()) {
            client.send("PRPC");

            assertThat(client.readText(4)).isEqualTo("PRPC");
            expect(HandshakeState.UNINIT, RdmaState.RDMA_OFF);
        }

        expectGone(TransportError.EEOF);
    }

    @ParameterizedTest
    @CsvSource({"2, UNINIT", "4, S_HELLO_WAIT", "6, S_HELLO_WAIT", "39, S_HELLO_WAIT"})
    void clientCloseDuringHelloSend(int sent, HandshakeState state) throws Exception {
        try (RawPeer client = connect()) {
            client.send(HelloV2.encode(hello), 0, sent);

            expect(state, RdmaState.RDMA_UNKNOWN);
        }

        expectGone(TransportError.EEOF);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 35})
    void clientHelloMsgInvalidLen(int length) throws Exception {
        try (RawPeer client = connect()) {
            client.send(with(HelloV2.encode(hello), 4, length, 2));

            client.expectEnd();
        }

        expectGone(TransportError.EPROTO);
    }

    @ParameterizedTest
    @CsvSource({"6, 1, 2", "6, 3, 2", "8, 0, 2", "8, 2, 2"})
    void clientHelloMsgInvalidVersion(int offset, int value, int width) throws Exception {
        expectFallback(with(HelloV2.encode(hello), offset, value, width));
    }

    @ParameterizedTest
    @CsvSource({"14, 10, 2", "16, 10, 2", "10, 1000, 4"})
    void clientHelloMsgInvalidSqRqBlockSize(int offset, int value, int width) throws Exception {
        expectFallback(with(HelloV2.encode(hello), offset, value, width));
    }

    @Test
    void clientCloseAfterQpBuild() throws Exception {
        shakeHands().close();

        expectGone(TransportError.EEOF);
        assertThat(fixture.endpoints.peers()).containsExactly(hello);
    }

    @Test
    void clientCloseDuringAckSend() throws Exception {
        try (RawPeer client = shakeHands()) {
            client.send(ACK, 0, 2);
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_UNKNOWN);

            client.send(ACK, 2, 4);
            expect(HandshakeState.ESTABLISHED, RdmaState.RDMA_ON);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void shouldEndIfTheClientClosesInTheMiddleOfItsAck() throws Exception {
        shakeHands().send(ACK, 0, 2).close();

        expectGone(TransportError.EEOF);
    }

    @ParameterizedTest
    @CsvSource({"false, FALLBACK_TCP, RDMA_OFF, 0", "true, ESTABLISHED, RDMA_ON, 1"})
    void clientCloseAfterAckSend(boolean ack, HandshakeState state, RdmaState rdma, int live)
            throws Exception {
        try (RawPeer client = shakeHands()) {
            client.send(AckReader.encode(ack));

            expect(state, rdma);
            Eventually.be(live, fixture::live);
        }

        expectGone(TransportError.EEOF);
    }

    @ParameterizedTest
    @CsvSource({"false, FALLBACK_TCP, RDMA_OFF", "true, ESTABLISHED, RDMA_ON"})
    void clientSendDataOnTcpAfterAckSend(boolean ack, HandshakeState state, RdmaState rdma)
            throws Exception {
        try (RawPeer client = shakeHands()) {
            client.send(AckReader.encode(ack));
            expect(state, rdma);

            client.send("JUNK");

            client.expectEnd();
        }

        expectGone(TransportError.EPROTO);
    }

    @Test
    void v2ServerHelloBytesBaseline() throws Exception {
        try (RawPeer client = connect()) {
            client.send(HelloV2.encode(hello));
            expectOffer(client, 2);
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_UNKNOWN);

            client.send(NO_ACK);

            expect(HandshakeState.FALLBACK_TCP, RdmaState.RDMA_OFF);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void v2ServerDrainsTailThenReadsAck() throws Exception {
        try (RawPeer client = connect()) {
            byte[] longer = with(Arrays.copyOf(HelloV2.encode(hello), 48), 4, 48, 2);
            client.send(longer).readOffer();
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_UNKNOWN);

            client.send(ACK);

            expect(HandshakeState.ESTABLISHED, RdmaState.RDMA_ON);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void v2ServerRejectsOversizedMsgLen() throws Exception {
        expectDropped(with(HelloV2.encode(hello), 4, 4097, 2));
    }

    @Test
    void v3ServerHelloBytesBaseline() throws Exception {
        try (RawPeer client = connect()) {
            client.send(HelloV3.encode(hello));
            expectOffer(client, 3);
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_UNKNOWN);

            client.send(NO_ACK);

            expect(HandshakeState.FALLBACK_TCP, RdmaState.RDMA_OFF);
            assertThat(fixture.only(server).statistics().handshakeVersion()).isEqualTo(3);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void v3ServerRejectsZeroPbSize() throws Exception {
        expectDropped(bytes("52444d33 00000000"));
    }

    @Test
    void v3ServerRejectsOversizedPbSize() throws Exception {
        expectDropped(bytes("52444d33 00002001"));
    }

    @Test
    void v3ServerRejectsInvalidPbBytes() throws Exception {
        expectDropped(bytes("52444d33 00000004 ffffffff"));
    }

    @Test
    void v3ServerInvalidSqSizeFallsBack() throws Exception {
        try (RawPeer client = connect()) {
            client.send(HelloV3.encode(new Hello(8160, 0, 128, 0, hello.gid(), 1, hello.ece())));
            assertThat(client.read(36)).isEqualTo(bytes(HelloBaselineTest.V3_REFUSAL));
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_OFF);

            client.send(NO_ACK);

            expect(HandshakeState.FALLBACK_TCP, RdmaState.RDMA_OFF);
        }

        expectGone(TransportError.EEOF);
    }

    @Test
    void v3ServerAcceptsClientHelloWithEce() throws Exception {
        try (TransportServer willing = willingServer();
                RawPeer client = RawPeer.connect(willing.localAddress())) {
            client.send(HelloV3.encode(helloWithEce())).readOffer();
            Connection connection = fixture.only(willing);
            Eventually.be(HandshakeState.S_ACK_WAIT, connection::handshakeState);

            client.send(ACK);

            Eventually.be(HandshakeState.ESTABLISHED, connection::handshakeState);
        }
    }

    @Test
    void v3ServerReplyHasNoEceWhenDisabled() throws Exception {
        fixture.endpoints.tell(new Hello.Ece(1, 2, 3));
        try (RawPeer client = connect()) {
            client.send(HelloV3.encode(helloWithEce()));

            assertThat(expectOffer(client, 3).ece()).isEmpty();
            assertThat(fixture.endpoints.peers().getFirst().ece()).isEmpty();
        }
    }

    @Test
    void v3ServerReplyHasNoEceWithoutHwNegotiation() throws Exception {
        try (TransportServer willing = willingServer();
                RawPeer client = RawPeer.connect(willing.localAddress())) {
            client.send(HelloV3.encode(helloWithEce()));

            assertThat(expectOffer(client, 3).ece()).isEmpty();
            assertThat(fixture.endpoints.peers().getFirst().ece()).contains(new Hello.Ece(1, 2, 3));
        }
    }

    @Test
    void v3ServerReplyHasNegotiatedEce() throws Exception {
        Hello.Ece reduced = new Hello.Ece(1, 0, 3);
        fixture.endpoints.tell(reduced);
        try (TransportServer willing = willingServer();
                RawPeer client = RawPeer.connect(willing.localAddress())) {
            client.send(HelloV3.encode(helloWithEce()));

            assertThat(client.readOffer().ece()).contains(reduced);
        }
    }

    @Test
    void serverAllocResourceFailFallbackTcp() throws Exception {
        fixture.endpoints.failAllocation();

        expectFallback(HelloV2.encode(hello));
    }

    @Test
    void serverBringUpFailFallbackTcp() throws Exception {
        fixture.endpoints.failBringUp();

        expectFallback(HelloV2.encode(hello));
    }

    private RawPeer connect() throws IOException {
        return RawPeer.connect(server.localAddress());
    }

    private Hello helloWithEce() {
        return HelloBaselineTest.withEce(hello, new Hello.Ece(1, 2, 3));
    }

    /** {@return a server that exchanges ECE} */
    private TransportServer willingServer() {
        return fixture.server(
                SocketMode.RDMA, SocketFixture.FLAGS.with(TransportFlag.RDMA_ECE, true));
    }

    /** {@return a client whose hello was answered, state by state} */
    private RawPeer shakeHands() throws IOException {
        byte[] message = HelloV2.encode(hello);
        RawPeer client = connect();
        expect(HandshakeState.UNINIT, RdmaState.RDMA_UNKNOWN);
        client.send(message, 0, 4);
        expect(HandshakeState.S_HELLO_WAIT, RdmaState.RDMA_UNKNOWN);
        client.send(message, 4, message.length);
        expectOffer(client, 2);
        expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_UNKNOWN);
        return client;
    }

    private void expect(HandshakeState state, RdmaState rdma) {
        Connection connection = fixture.only(server);
        Eventually.be(state, connection::handshakeState);
        assertThat(connection.rdmaState()).isEqualTo(rdma);
    }

    private Object all() {
        return server.connections();
    }

    private void expectGone(TransportError reason) throws Exception {
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(reason);
        Eventually.become(() -> server.connections().isEmpty(), this::all);
        Eventually.be(0, fixture::live);
    }

    /** The bytes of a baseline if there is no queue pair, otherwise those of a real one. */
    private Hello expectOffer(RawPeer client, int version) throws IOException {
        byte[] baseline = bytes(version == 3 ? HelloBaselineTest.V3 : HelloBaselineTest.V2);
        if (kind == EndpointKind.DEVICE) {
            return client.readOffer(Arrays.copyOf(baseline, version == 3 ? 4 : 10));
        }
        assertThat(client.read(baseline.length)).isEqualTo(baseline);
        return HelloBaselineTest.HELLO;
    }

    private void expectDropped(byte[] message) throws Exception {
        try (RawPeer client = connect()) {
            client.send(message).expectEnd();
        }
        expectGone(TransportError.EPROTO);
    }

    /** Refused, acknowledged, and then used over TCP. */
    private void expectFallback(byte[] message) throws Exception {
        try (RawPeer client = connect()) {
            client.send(message);
            assertThat(client.read(40)).isEqualTo(HelloV2.encodeRefusal());
            expect(HandshakeState.S_ACK_WAIT, RdmaState.RDMA_OFF);

            client.send(NO_ACK);

            expect(HandshakeState.FALLBACK_TCP, RdmaState.RDMA_OFF);
            assertThat(client.send("PRPC").readText(4)).isEqualTo("PRPC");
            Eventually.be(0, fixture::live);
        }
        expectGone(TransportError.EEOF);
    }

    private static byte[] with(byte[] message, int offset, int value, int width) {
        byte[] changed = message.clone();
        if (width == Short.BYTES) {
            ByteBuffer.wrap(changed).putShort(offset, (short) value);
        } else {
            ByteBuffer.wrap(changed).putInt(offset, value);
        }
        return changed;
    }
}
