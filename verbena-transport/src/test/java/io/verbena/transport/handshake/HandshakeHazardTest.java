// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.handshake;

import static io.verbena.transport.handshake.HelloBaselineTest.HELLO;
import static io.verbena.transport.handshake.HelloBaselineTest.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.Connection;
import io.verbena.transport.HandshakeState;
import io.verbena.transport.RecordingHandler;
import io.verbena.transport.SocketFixture;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.TransportServer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What brpc's servers are known to have tripped over, and what a hostile client may try. */
class HandshakeHazardTest {
    private static final TransportFlags IMPATIENT =
            SocketFixture.FLAGS.with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 1000);

    private final SocketFixture fixture = new SocketFixture();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldTakeAckAndFirstRequestInOneReadWhenFallingBack() throws Exception {
        TransportServer server = fixture.server();
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO)).read(40);

            client.send(bytes("00000000 50525043"));

            assertThat(client.readText(4)).isEqualTo("PRPC");
        }
    }

    @Test
    void shouldFailOnBytesBehindAckThatChoseRdma() throws Exception {
        TransportServer server = fixture.server();
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO)).read(40);

            client.send(bytes("00000001 50525043"));

            client.expectEnd();
            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EPROTO);
        }
    }

    @Test
    void shouldFailOnAckThatContradictsRefusal() throws Exception {
        fixture.endpoints.failAllocation();
        TransportServer server = fixture.server();
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO)).read(40);

            client.send(AckReader.encode(true)).expectEnd();

            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EPROTO);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldReadHelloAndAckByteByByte(int version) throws Exception {
        TransportServer server = fixture.server();
        byte[] hello = version == 3 ? HelloV3.encode(HELLO) : HelloV2.encode(HELLO);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            for (int i = 0; i < hello.length; i++) {
                client.send(hello, i, i + 1);
            }
            client.read(40);
            byte[] ack = AckReader.encode(true);
            for (int i = 0; i < ack.length; i++) {
                client.send(ack, i, i + 1);
            }

            Connection connection = fixture.only(server);
            Eventually.be(HandshakeState.ESTABLISHED, connection::handshakeState);
            assertThat(connection.statistics().handshakeVersion()).isEqualTo(version);
        }
    }

    @Test
    void shouldTakePipelinedAckAfterItsOwnHello() throws Exception {
        TransportServer server = fixture.server();
        byte[] both = Arrays.copyOf(HelloV2.encode(HELLO), 48);
        System.arraycopy("PRPC".getBytes(StandardCharsets.US_ASCII), 0, both, 44, 4);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(both);

            assertThat(client.read(40)).isEqualTo(HelloV2.encode(HELLO));
            assertThat(client.readText(4)).isEqualTo("PRPC");
        }
    }

    @Test
    void shouldAnswerAsTcpServer() throws Exception {
        TransportServer server = fixture.server(SocketMode.TCP, SocketFixture.FLAGS);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO));
            assertThat(client.read(40)).isEqualTo(HelloV2.encodeTcpServer());

            client.send(bytes("00000000 50525043"));

            assertThat(client.readText(4)).isEqualTo("PRPC");
            assertThat(fixture.endpoints.peers()).isEmpty();
        }
    }

    @Test
    void shouldAnswerV1InItsForm() throws Exception {
        TransportServer server = fixture.server();
        byte[] hello = Arrays.copyOf(HelloV2.encode(HELLO), 38);
        ByteBuffer.wrap(hello).putShort(4, (short) 38).putShort(6, (short) 1);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(hello);
            assertThat(client.read(38)).isEqualTo(HelloV2.encodeRefusalOfV1());

            client.send(bytes("00000000 50525043"));

            assertThat(client.readText(4)).isEqualTo("PRPC");
        }
    }

    /**
     * A server's time limit starts with the first byte: an idle TCP client is not in a handshake.
     */
    @ParameterizedTest
    @CsvSource({"1, false", "3, false", "4, false", "39, false", "40, true", "42, true"})
    void shouldEndSlowClients(int sent, boolean isAnswered) throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, IMPATIENT);
        byte[] bytes = Arrays.copyOf(HelloV2.encode(HELLO), 44);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(bytes, 0, sent);
            if (isAnswered) {
                client.read(40);
            }

            client.expectEnd();

            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.ERPCTIMEDOUT);
        }
    }

    @Test
    void shouldGiveBackAnEndpointThatComesTooLate() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA, IMPATIENT);
        CountDownLatch ended = new CountDownLatch(1);
        fixture.endpoints.beforeBringUp(() -> await(ended));
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO));
            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.ERPCTIMEDOUT);
            assertThat(fixture.live()).isEqualTo(1);

            ended.countDown();

            Eventually.be(0, fixture::live);
            client.expectEnd();
        }
    }

    @Test
    void shouldGiveBackAClientsEndpointThatComesTooLate() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        fixture.endpoints.beforeBringUp(() -> await(ended));
        RecordingHandler handler = new RecordingHandler();
        try (RawListener listener = new RawListener()) {
            Connection connection = fixture.connect(listener, handler, IMPATIENT);
            try (RawPeer server = listener.accept()) {
                server.read(40);
                server.send(HelloV2.encode(HELLO));
                assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ERPCTIMEDOUT);
                assertThat(fixture.live()).isEqualTo(1);

                ended.countDown();

                Eventually.be(0, fixture::live);
                assertThat(connection.handshakeState()).isEqualTo(HandshakeState.FAILED);
                server.expectEnd();
            }
        }
    }

    /** A client that floods while the server is busy is not read, so its bytes stay with it. */
    @Test
    void shouldNotReadWhileItBringsUp() throws Exception {
        TransportServer server = fixture.server();
        CountDownLatch go = new CountDownLatch(1);
        fixture.endpoints.beforeBringUp(() -> await(go));
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO));
            Connection connection = fixture.only(server);
            Eventually.be(HandshakeState.S_BRINGUP_QP, connection::handshakeState);
            assertThat(SocketFixture.isReading(connection)).isFalse();
            client.send(bytes("00000000 50525043"));

            go.countDown();

            client.read(40);
            assertThat(client.readText(4)).isEqualTo("PRPC");
        }
    }

    /** Whatever it is, the client is answered at once, not when the time limit is over. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseRdmaWhenMakingAQueuePairThrowsAnError(boolean isMade) throws Exception {
        if (isMade) {
            fixture.endpoints.failBringUp(HandshakeHazardTest::fault);
        } else {
            fixture.endpoints.failAllocation(HandshakeHazardTest::fault);
        }
        TransportServer server = fixture.server();
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send(HelloV2.encode(HELLO)).read(40);

            client.send(bytes("00000000 50525043"));

            assertThat(client.readText(4)).isEqualTo("PRPC");
            Eventually.be(0, fixture::live);
        }
    }

    @Test
    void shouldUseTcpWhenAClientsQueuePairThrowsAnError() throws Exception {
        fixture.endpoints.failAllocation(HandshakeHazardTest::fault);
        TransportServer server = fixture.server();
        RecordingHandler handler = new RecordingHandler();
        Connection connection =
                new TransportClient(fixture.transport, SocketMode.RDMA, SocketFixture.FLAGS)
                        .connect(server.localAddress(), handler);

        connection.write(fixture.text("PRPC"));

        handler.awaitText("PRPC");
        assertThat(connection.isRdma()).isFalse();
        connection.close();
        handler.awaitClose();
    }

    private static OutOfMemoryError fault() {
        return new OutOfMemoryError("thrown by the test");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
