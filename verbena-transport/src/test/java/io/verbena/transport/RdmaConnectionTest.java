// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections over the software device, from connect to close. */
class RdmaConnectionTest {
    /** 10,000 in the long run. */
    private static final int CONNECTIONS = Integer.getInteger("verbena.test.connections", 50);

    private final DeviceFixture fixture = new DeviceFixture();
    private final RecordingHandler handler = new RecordingHandler();

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({
        "RDMA, RDMA, 2, ESTABLISHED",
        "RDMA, RDMA, 3, ESTABLISHED",
        "TCP, TCP, 2, UNINIT",
        "TCP, RDMA, 2, UNINIT",
        "RDMA, TCP, 2, FALLBACK_TCP",
        "RDMA, TCP, 3, FALLBACK_TCP",
    })
    void shouldEcho(SocketMode client, SocketMode server, int version, HandshakeState state)
            throws Exception {
        TransportServer listening = fixture.server(server);
        Connection connection =
                fixture.client(client, version)
                        .open(listening.localAddress(), handler)
                        .get(20, TimeUnit.SECONDS);
        byte[] sent = new byte[3 << 20];
        new Random(version).nextBytes(sent);
        System.arraycopy("PRPC".getBytes(StandardCharsets.US_ASCII), 0, sent, 0, 4);

        connection.write(fixture.clientDomain.pool().buffer().append(sent));

        Eventually.become(() -> handler.bytes().length == sent.length, connection::statistics);
        assertThat(handler.bytes()).isEqualTo(sent);
        assertThat(connection.handshakeState()).isEqualTo(state);
        assertThat(connection.isRdma()).isEqualTo(state == HandshakeState.ESTABLISHED);
        assertThat(connection.statistics().sentMessages() > 0).isEqualTo(connection.isRdma());
        connection.close();
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    /**
     * brpc's servers lost connections when the first RDMA message was polled before the ACK was
     * read. Here the ACK comes only when the message is known to be in the server's memory.
     */
    @ParameterizedTest
    @ValueSource(ints = {2, 3})
    void shouldDeliverMessagesThatCameBeforeTheAck(int version) throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            RdmaEndpoint endpoint = fixture.clientDomain.endpoints().allocate();
            RecordingSink sink = new RecordingSink();
            byte[] hello =
                    version == 3
                            ? HelloV3.encode(endpoint.hello())
                            : HelloV2.encode(endpoint.hello());
            endpoint.bringUp(client.send(hello).readOffer());
            endpoint.open(sink);
            // Too long to be sent inline, so that its completion says that it has arrived.
            String first = "PRPC first".repeat(100);
            endpoint.write(fixture.clientDomain.pool().buffer().append(first));
            Connection served = fixture.only(server);
            Eventually.become(
                    () ->
                            endpoint.statistics().sentMessages() == 1
                                    && endpoint.statistics().sendWindow()
                                            == endpoint.statistics().localWindowCapacity(),
                    endpoint::statistics);
            assertThat(served.handshakeState()).isEqualTo(HandshakeState.S_ACK_WAIT);
            ParsingEcho handler = fixture.nextAccepted();
            assertThat(handler.hasOpened()).isFalse();

            client.send(AckReader.encode(true));

            handler.awaitText(first);
            assertThat(served.handshakeState()).isEqualTo(HandshakeState.ESTABLISHED);
            assertThat(new String(sink.awaitBytes(1000), StandardCharsets.US_ASCII))
                    .isEqualTo(first);
            endpoint.abort(new TransportException(TransportError.ECLOSE, "done"));
        }
    }

    @Test
    void shouldFallBackFromAnEndpointThatReceivedAlready() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            RdmaEndpoint endpoint = fixture.clientDomain.endpoints().allocate();
            client.send(HelloV2.encode(endpoint.hello())).readOffer();

            client.send(AckReader.encode(false)).send("PRPC");

            assertThat(client.readText(4)).isEqualTo("PRPC");
            Eventually.be(0, fixture.serverDomain::connections);
            endpoint.abort(new TransportException(TransportError.ECLOSE, "done"));
        }
    }

    @Test
    void shouldNoticeThatTheClientIsGone() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        Connection connection =
                fixture.client(SocketMode.RDMA, 2)
                        .open(server.localAddress(), handler)
                        .get(20, TimeUnit.SECONDS);

        connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    /** Its requests fail then, and the thread that reads TCP may be late. */
    @Test
    void shouldNoticeThatTheServerIsGoneHoweverLateTcpIsRead() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        Connection connection =
                fixture.client(SocketMode.RDMA, 2)
                        .open(server.localAddress(), handler)
                        .get(20, TimeUnit.SECONDS);
        CountDownLatch isRead = new CountDownLatch(1);
        ((SocketConnection) connection).loop().execute(() -> await(isRead));
        CompletableFuture.delayedExecutor(600, TimeUnit.MILLISECONDS).execute(isRead::countDown);

        fixture.only(server).close();
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        connection.write(fixture.clientDomain.pool().buffer().append("PRPC"));

        TransportException reason = handler.awaitClose();
        assertThat(reason.error()).as(reason.toString()).isEqualTo(TransportError.EEOF);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** TCP is silent all the time: only RDMA traffic keeps it alive. */
    @Test
    void shouldCloseOnlyWhatIsIdleOverRdma() throws Exception {
        DeviceUnderTest.assumePunctual();
        TransportServer server =
                fixture.server(
                        SocketMode.RDMA,
                        DeviceFixture.FLAGS.with(TransportFlag.IDLE_TIMEOUT_SEC, 2));
        Connection connection =
                fixture.client(SocketMode.RDMA, 2)
                        .open(server.localAddress(), handler)
                        .get(20, TimeUnit.SECONDS);
        long begin = System.nanoTime();
        StringBuilder sent = new StringBuilder("PRPC");
        connection.write(fixture.clientDomain.pool().buffer().append("PRPC"));
        while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(2500)) {
            sent.append('x');
            connection.write(fixture.clientDomain.pool().buffer().append("x"));
            handler.awaitText(sent.toString());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EUNUSED);
    }

    @Test
    void shouldHandOverWhatWasWrittenBeforeItWasOpen() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        Connection connection =
                fixture.client(SocketMode.RDMA, 2).connect(server.localAddress(), handler);
        StringBuilder sent = new StringBuilder("PRPC");
        connection.write(fixture.clientDomain.pool().buffer().append("PRPC"));
        for (int i = 0; i < 1000; i++) {
            connection.write(fixture.clientDomain.pool().buffer().append(i + ","));
            sent.append(i).append(',');
        }

        handler.awaitText(sent.toString());
        assertThat(connection.isRdma()).isTrue();
        connection.close();
        handler.awaitClose();
    }

    /** Everything that was made is gone: no queue pair, no block, no connection. */
    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws Exception {
        TransportServer server = fixture.server(SocketMode.RDMA);
        for (int i = 0; i < DeviceUnderTest.rounds(CONNECTIONS); i++) {
            RecordingHandler each = new RecordingHandler();
            Connection connection =
                    fixture.client(SocketMode.RDMA, 2 + i % 2).connect(server.localAddress(), each);
            connection.write(fixture.clientDomain.pool().buffer().append("PRPC" + i));
            each.awaitText("PRPC" + i);
            connection.close();
            assertThat(each.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }

        Eventually.become(() -> server.connections().isEmpty(), server::connections);
        Eventually.be(0, fixture.serverDomain::connections);
        Eventually.be(0, fixture.clientDomain::connections);
    }
}
