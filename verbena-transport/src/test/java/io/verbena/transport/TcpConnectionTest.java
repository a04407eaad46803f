// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import io.verbena.transport.handshake.RawListener;
import io.verbena.transport.handshake.RawPeer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections over TCP, and what a plain socket at the other end sees of them. */
class TcpConnectionTest extends ConnectionConformance {
    private final SocketFixture sockets = new SocketFixture();

    @Override
    SocketMode mode() {
        return SocketMode.TCP;
    }

    @AfterEach
    void closeSockets() {
        sockets.close();
    }

    @Test
    void shouldEchoToAServerThatOffersRdma() throws Exception {
        byte[] sent = random(8 << 20, 9);
        TransportServer server = sockets.server(SocketMode.RDMA, SocketFixture.FLAGS);
        Connection connection =
                new TransportClient(sockets.transport, SocketMode.TCP)
                        .open(server.localAddress(), handler())
                        .get(20, TimeUnit.SECONDS);

        connection.write(sockets.pool.buffer().append(sent));

        Eventually.become(() -> handler().bytes().length == sent.length, connection::statistics);
        assertThat(handler().bytes()).isEqualTo(sent);
        assertThat(connection.statistics().sentBytes()).isEqualTo(sent.length);
        assertThat(connection.statistics().receivedBytes()).isEqualTo(sent.length);
        connection.close();
        assertThat(handler().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(sockets.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldRefuseWritesDuringTheHandshakeWhileTooMuchWaits() throws Exception {
        TransportFlags flags =
                SocketFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 10);
        try (RawListener listener = new RawListener()) {
            Connection connection = sockets.connect(listener, handler(), flags);
            connection.write(sockets.text("0123456789"));

            IOBuf more = sockets.text("x");
            assertThatThrownBy(() -> connection.write(more))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.error()).isEqualTo(TransportError.EOVERCROWDED));
            more.close();
            connection.abort(new TransportException(TransportError.ECLOSE, "enough"));
            assertThat(handler().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldNotResetAPeerThatStillReads() throws Exception {
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener, SocketFixture.FLAGS);
            try (RawPeer peer = listener.accept()) {
                handler().awaitOpen();
                // Unread bytes would turn a plain close into a reset.
                peer.send("unread");
                connection.write(sockets.pool.buffer().append(new byte[4 << 20]));
                connection.close();

                peer.read(4 << 20);
                peer.expectEnd();
            }
            assertThat(handler().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldNotWaitForEverForAPeerThatDoesNotClose() throws Exception {
        TransportFlags flags = SocketFixture.FLAGS.with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 200);
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener, flags);
            try (RawPeer peer = listener.accept()) {
                handler().awaitOpen();
                connection.close();

                assertThat(handler().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
                peer.expectEnd();
            }
        }
    }

    @Test
    void shouldCloseIdleConnections() throws Exception {
        TransportFlags flags = SocketFixture.FLAGS.with(TransportFlag.IDLE_TIMEOUT_SEC, 3);
        TransportServer server = sockets.server(SocketMode.RDMA, flags);
        try (RawPeer silent = RawPeer.connect(server.localAddress());
                RawPeer spoke = RawPeer.connect(server.localAddress())) {
            assertThat(spoke.send("PRPC").readText(4)).isEqualTo("PRPC");

            silent.expectEnd();
            spoke.expectEnd();

            assertThat(sockets.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EUNUSED);
            assertThat(sockets.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EUNUSED);
        }
    }

    /** Otherwise the peer would rest while a callback works through what has arrived. */
    @Test
    void shouldSendWhatACallbackHasWrittenBeforeItReturns() throws Exception {
        CountDownLatch isRead = new CountDownLatch(1);
        CompletableFuture<Boolean> isReadInside = new CompletableFuture<>();
        RecordingHandler busy =
                new RecordingHandler() {
                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        super.onData(connection, received);
                        connection.write(sockets.pool.buffer().append(new byte[4096]));
                        isReadInside.complete(await(isRead));
                    }
                };
        try (RawListener listener = new RawListener()) {
            Connection connection =
                    new TransportClient(sockets.transport, SocketMode.TCP, SocketFixture.FLAGS)
                            .connect(listener.address(), busy);
            try (RawPeer peer = listener.accept()) {
                busy.awaitOpen();
                peer.send("x").read(4096);
                isRead.countDown();

                assertThat(isReadInside.get(30, TimeUnit.SECONDS)).isTrue();
                connection.close();
                peer.expectEnd();
            }
            assertThat(busy.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldNotTellOfAWriteThatFailsInACallbackBeforeItReturns() throws Exception {
        CountDownLatch isReset = new CountDownLatch(1);
        RecordingHandler unheard =
                new RecordingHandler() {
                    private boolean isInside;

                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        super.onData(connection, received);
                        isInside = true;
                        await(isReset);
                        // the peer's reset may take a moment to arrive
                        for (int i = 0; i < 100; i++) {
                            connection.write(sockets.text("x".repeat(4096)));
                        }
                        isInside = false;
                    }

                    @Override
                    public void onClose(Connection connection, TransportException reason) {
                        super.onClose(
                                connection,
                                isInside
                                        ? new TransportException(TransportError.EINTERNAL, "inside")
                                        : reason);
                    }
                };
        try (RawListener listener = new RawListener()) {
            Connection connection =
                    new TransportClient(sockets.transport, SocketMode.TCP, SocketFixture.FLAGS)
                            .connect(listener.address(), unheard);
            try (RawPeer peer = listener.accept()) {
                unheard.awaitOpen();
                peer.send("x");
                Eventually.become(() -> unheard.bytes().length == 1, connection::statistics);
                peer.reset();
                isReset.countDown();
            }
            assertThat(unheard.awaitClose().error())
                    .isIn(TransportError.EPIPE, TransportError.ECONNRESET);
            Eventually.become(() -> connection.unwrittenBytes() == 0, connection::statistics);
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private Connection connect(RawListener listener, TransportFlags flags) {
        return new TransportClient(sockets.transport, SocketMode.TCP, flags)
                .connect(listener.address(), handler());
    }
}
