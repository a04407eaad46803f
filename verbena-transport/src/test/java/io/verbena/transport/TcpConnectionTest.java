// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelConfig;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class TcpConnectionTest {
    private final SocketFixture fixture = new SocketFixture();
    private final RecordingHandler handler = new RecordingHandler();

    @AfterEach
    void close() {
        fixture.close();
    }

    @ParameterizedTest
    @EnumSource
    void shouldEchoManyMegabytes(SocketMode serverMode) throws Exception {
        TransportServer server = fixture.server(serverMode, SocketFixture.FLAGS);
        TransportClient client = new TransportClient(fixture.transport, SocketMode.TCP);
        byte[] sent = new byte[8 << 20];
        new Random(7).nextBytes(sent);
        System.arraycopy("PRPC".getBytes(StandardCharsets.US_ASCII), 0, sent, 0, 4);

        Connection connection =
                client.open(server.localAddress(), handler).get(20, TimeUnit.SECONDS);
        Random random = new Random(8);
        for (int at = 0; at < sent.length; ) {
            int count = Math.min(1 + random.nextInt(100_000), sent.length - at);
            connection.write(fixture.pool.buffer().append(sent, at, count));
            at += count;
        }

        Eventually.become(() -> handler.bytes().length == sent.length, connection::statistics);
        assertThat(handler.bytes()).isEqualTo(sent);
        Eventually.be(0L, connection::unwrittenBytes);
        assertThat(connection.statistics().sentBytes()).isEqualTo(sent.length);
        assertThat(connection.statistics().receivedBytes()).isEqualTo(sent.length);
        connection.close();
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldKeepConnectionsWhenItStopsAccepting() throws Exception {
        TransportServer server = fixture.server(SocketMode.TCP, SocketFixture.FLAGS);
        TransportClient client = new TransportClient(fixture.transport, SocketMode.TCP);
        Connection connection =
                client.open(server.localAddress(), handler).get(20, TimeUnit.SECONDS);
        // answered, so the server has the connection: it may not have it when the client has
        connection.write(fixture.text("PRPC"));
        Eventually.become(() -> handler.bytes().length == 4, connection::statistics);

        server.stopAccepting();

        Eventually.become(() -> isRefused(server.localAddress()), server::connections);
        connection.write(fixture.text("PRPC"));
        Eventually.become(() -> handler.bytes().length == 8, connection::statistics);
        connection.close();
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
    }

    private static boolean isRefused(InetSocketAddress address) {
        try (Socket _ = new Socket(address.getAddress(), address.getPort())) {
            return false;
        } catch (ConnectException e) {
            return true;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldFreeItsPortWhenItIsClosed() {
        TransportServer first = fixture.server(SocketMode.TCP, SocketFixture.FLAGS);
        InetSocketAddress address = first.localAddress();
        first.close();

        // each would fail to bind
        for (int i = 0; i < 200; i++) {
            TransportServer.bind(
                            fixture.transport, address, SocketMode.TCP, () -> new ParsingEcho())
                    .close();
        }
    }

    @Test
    void shouldKeepTheOrderOfEachWriter() throws Exception {
        Connection connection;
        try (RawListener listener = new RawListener()) {
            connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                int writers = 4;
                int each = 5000;
                List<CompletableFuture<Void>> threads = new ArrayList<>();
                for (int w = 0; w < writers; w++) {
                    int writer = w;
                    threads.add(
                            CompletableFuture.runAsync(
                                    () -> writeCounting(connection, writer, each)));
                }
                byte[] all = peer.read(writers * each * 4);
                threads.forEach(CompletableFuture::join);

                int[] next = new int[writers];
                for (int i = 0; i < all.length; i += 4) {
                    int count =
                            (all[i + 1] & 0xFF) << 16
                                    | (all[i + 2] & 0xFF) << 8
                                    | all[i + 3] & 0xFF;
                    assertThat(count).isEqualTo(next[all[i]]++);
                }
            }
        }
        handler.awaitClose();
    }

    private void writeCounting(Connection connection, int writer, int each) {
        for (int i = 0; i < each; i++) {
            byte[] message = {(byte) writer, (byte) (i >>> 16), (byte) (i >>> 8), (byte) i};
            connection.write(fixture.pool.buffer().append(message));
        }
    }

    @Test
    void shouldRefuseWritesWhileTooMuchWaits() throws Exception {
        TransportFlags flags =
                SocketFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 1 << 20);
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener.address(), flags);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                long taken = 0;
                IOBuf piece = fixture.pool.buffer();
                TransportException refused = null;
                while (refused == null) {
                    piece.append(new byte[100_000]);
                    try {
                        connection.write(piece);
                        taken += 100_000;
                    } catch (TransportException e) {
                        refused = e;
                    }
                    assertThat(taken).isLessThan(1L << 30);
                }
                assertThat(refused.error()).isEqualTo(TransportError.EOVERCROWDED);
                assertThat(piece.size()).as("left in the buffer").isEqualTo(100_000);
                assertThat(connection.unwrittenBytes()).isLessThan((1L << 20) + 100_000);

                peer.read((int) taken);

                Eventually.be(0L, connection::unwrittenBytes);
                connection.write(piece);
                peer.read(100_000);
            }
        }
        handler.awaitClose();
    }

    @Test
    void shouldRefuseWritesDuringTheHandshakeWhileTooMuchWaits() throws Exception {
        TransportFlags flags =
                SocketFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 10);
        try (RawListener listener = new RawListener()) {
            Connection connection = fixture.connect(listener, handler, flags);
            connection.write(fixture.text("0123456789"));

            IOBuf more = fixture.text("x");
            assertThatThrownBy(() -> connection.write(more))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.error()).isEqualTo(TransportError.EOVERCROWDED));
            more.close();
            connection.abort(new TransportException(TransportError.ECLOSE, "enough"));
            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldReleaseUserMemoryWhenItIsWritten() throws Exception {
        AtomicInteger released = new AtomicInteger();
        try (RawListener listener = new RawListener();
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(300_000).fill((byte) 7);
            Connection connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                connection.write(
                        fixture.pool
                                .buffer()
                                .appendUserData(
                                        memory,
                                        BlockPool.NOT_REGISTERED,
                                        released::incrementAndGet));

                assertThat(peer.read(300_000)).containsOnly(7);
                Eventually.be(1, released::get);
            }
            handler.awaitClose();
        }
    }

    @Test
    void shouldReleaseEverythingWhenAbortedInTheMiddle() throws Exception {
        AtomicInteger released = new AtomicInteger();
        try (RawListener listener = new RawListener();
                Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(8 << 20);
            Connection connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                for (int i = 0; i < 4; i++) {
                    connection.write(
                            fixture.pool
                                    .buffer()
                                    .appendUserData(
                                            memory,
                                            BlockPool.NOT_REGISTERED,
                                            released::incrementAndGet));
                }
                connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

                assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
                Eventually.be(4, released::get);
                Eventually.be(0L, connection::unwrittenBytes);
                peer.reset();
            }
        }
    }

    @Test
    void shouldDeliverEverythingBeforeItCloses() throws Exception {
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                // Unread bytes would turn a plain close into a reset.
                peer.send("unread");
                connection.write(fixture.pool.buffer().append(new byte[4 << 20]));
                connection.close();

                peer.read(4 << 20);
                peer.expectEnd();
            }
            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldNotWaitForEverForAPeerThatDoesNotClose() throws Exception {
        TransportFlags flags = SocketFixture.FLAGS.with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 200);
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener.address(), flags);
            try (RawPeer peer = listener.accept()) {
                handler.awaitOpen();
                connection.close();

                assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
                peer.expectEnd();
            }
        }
    }

    @Test
    void shouldRefuseWritesAfterClose() throws Exception {
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer _ = listener.accept()) {
                handler.awaitOpen();
            }
            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);

            IOBuf late = fixture.text("late");
            assertThatThrownBy(() -> connection.write(late))
                    .isInstanceOfSatisfying(
                            TransportException.class,
                            e -> assertThat(e.error()).isEqualTo(TransportError.EEOF));
            assertThat(late.size()).isEqualTo(4);
            late.close();
            connection.close();
            connection.abort(new TransportException(TransportError.ECLOSE, "twice"));
        }
    }

    @Test
    void shouldTellThatNobodyListens() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        TransportClient client = new TransportClient(fixture.transport, SocketMode.RDMA);

        assertThatThrownBy(() -> client.open(nobody, handler).get(20, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        TransportException.class,
                        e -> assertThat(e.error()).isEqualTo(TransportError.ECONNREFUSED));
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECONNREFUSED);
    }

    @Test
    void shouldTellThatAnAddressIsTaken() {
        TransportServer server = fixture.server();

        assertThatThrownBy(
                        () ->
                                TransportServer.bind(
                                        fixture.transport,
                                        server.localAddress(),
                                        SocketMode.TCP,
                                        RecordingHandler::new))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("bind");
    }

    @Test
    void shouldCloseIdleConnections() throws Exception {
        TransportFlags flags = SocketFixture.FLAGS.with(TransportFlag.IDLE_TIMEOUT_SEC, 1);
        TransportServer server = fixture.server(SocketMode.RDMA, flags);
        try (RawPeer silent = RawPeer.connect(server.localAddress());
                RawPeer spoke = RawPeer.connect(server.localAddress())) {
            assertThat(spoke.send("PRPC").readText(4)).isEqualTo("PRPC");

            silent.expectEnd();
            spoke.expectEnd();

            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EUNUSED);
            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.EUNUSED);
        }
    }

    @Test
    void shouldEndAConnectionWhoseHandlerFails() throws Exception {
        RecordingHandler faulty =
                new RecordingHandler() {
                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        throw new IllegalStateException("on purpose");
                    }
                };
        TransportServer server =
                TransportServer.bind(
                        fixture.transport, SocketFixture.anyPort(), SocketMode.TCP, () -> faulty);
        try (server;
                RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send("PRPC").expectEnd();

            assertThat(faulty.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
        }
    }

    /** A handler that ends its connection inside a callback is not called inside that callback. */
    @Test
    void shouldNotCallAHandlerInsideItsOwnCallback() throws Exception {
        RecordingHandler strict =
                new RecordingHandler() {
                    private boolean isInside;

                    @Override
                    public void onOpen(Connection connection) {
                        isInside = true;
                        super.onOpen(connection);
                        connection.write(fixture.text("hi"));
                        isInside = false;
                    }

                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        isInside = true;
                        super.onData(connection, received);
                        connection.abort(new TransportException(TransportError.ECLOSE, "mine"));
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
        TransportServer server =
                TransportServer.bind(
                        fixture.transport, SocketFixture.anyPort(), SocketMode.TCP, () -> strict);
        try (server;
                RawPeer client = RawPeer.connect(server.localAddress())) {
            client.send("PRPC");

            assertThat(client.readText(2)).isEqualTo("hi");
            client.expectEnd();
            assertThat(strict.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldAskTheKernelToLookForVanishedPeers() throws Exception {
        try (RawListener listener = new RawListener()) {
            Connection connection = connect(listener.address(), SocketFixture.FLAGS);
            try (RawPeer _ = listener.accept()) {
                handler.awaitOpen();
                ChannelConfig config = ((SocketConnection) connection).channel().config();

                SocketOptions.of(SocketFixture.FLAGS)
                        .forEach(
                                (option, value) ->
                                        assertThat(config.getOption(option))
                                                .as(option.name())
                                                .isEqualTo(value));
                assertThat(SocketOptions.of(SocketFixture.FLAGS)).hasSize(5);
            }
        }
        handler.awaitClose();
    }

    @Test
    void shouldCloseConnectionsWithTheServer() throws Exception {
        TransportServer server = fixture.server();
        try (RawPeer client = RawPeer.connect(server.localAddress())) {
            assertThat(client.send("PRPC").readText(4)).isEqualTo("PRPC");

            CompletableFuture<Void> closed = CompletableFuture.runAsync(server::close);
            client.expectEnd();
            client.hangUp();
            closed.get(20, TimeUnit.SECONDS);

            assertThat(server.connections()).isEmpty();
            assertThat(fixture.nextAccepted().awaitClose().error())
                    .isEqualTo(TransportError.ECLOSE);
        }
    }

    private Connection connect(InetSocketAddress address, TransportFlags flags) {
        return new TransportClient(fixture.transport, SocketMode.TCP, flags)
                .connect(address, handler);
    }
}
