// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.ChannelConfig;
import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import io.verbena.testing.FreePort;
import io.verbena.transport.rdma.DeviceUnderTest;
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
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every connection guarantees, whatever carries its bytes. Both ends are Verbena's. */
abstract class ConnectionConformance {
    /** 10,000 in the long run. */
    private static final int CONNECTIONS = Integer.getInteger("verbena.test.connections", 50);

    private final RecordingHandler handler = new RecordingHandler();
    private ConnectionFixture fixture;

    /** {@return what carries the bytes} */
    abstract SocketMode mode();

    final ConnectionFixture fixture() {
        return fixture;
    }

    final RecordingHandler handler() {
        return handler;
    }

    @BeforeEach
    void open() {
        fixture = new ConnectionFixture(mode(), ConnectionFixture.FLAGS);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Starts again with other settings on both ends. */
    private void reopen(TransportFlags flags) {
        fixture.close();
        fixture = new ConnectionFixture(mode(), flags);
    }

    private Connection connect(TransportServer server) throws Exception {
        return fixture.client().open(server.localAddress(), handler).get(20, TimeUnit.SECONDS);
    }

    /** {@return random bytes that an echo server accepts} */
    static byte[] random(int count, long seed) {
        byte[] bytes = new byte[count];
        new Random(seed).nextBytes(bytes);
        System.arraycopy("PRPC".getBytes(StandardCharsets.US_ASCII), 0, bytes, 0, 4);
        return bytes;
    }

    @Test
    void shouldEchoManyMegabytes() throws Exception {
        byte[] sent = random(8 << 20, 7);
        Connection connection = connect(fixture.server());
        Random random = new Random(8);
        for (int at = 0; at < sent.length; ) {
            int count = Math.min(1 + random.nextInt(100_000), sent.length - at);
            connection.write(fixture.clientTransport().pool().buffer().append(sent, at, count));
            at += count;
        }

        Eventually.become(() -> handler.bytes().length == sent.length, connection::statistics);
        assertThat(handler.bytes()).isEqualTo(sent);
        assertThat(connection.isRdma()).isEqualTo(mode() == SocketMode.RDMA);
        Eventually.be(0L, connection::unwrittenBytes);
        assertThat(connection.statistics().sentBytes()).isEqualTo(sent.length);
        assertThat(connection.statistics().receivedBytes()).isEqualTo(sent.length);
        connection.close();
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldHandOverWhatWasWrittenBeforeItWasOpen() throws Exception {
        Connection connection = fixture.client().connect(fixture.server().localAddress(), handler);
        StringBuilder sent = new StringBuilder("PRPC");
        connection.write(fixture.text("PRPC"));
        for (int i = 0; i < 1000; i++) {
            connection.write(fixture.text(i + ","));
            sent.append(i).append(',');
        }

        handler.awaitText(sent.toString());
        assertThat(connection.isRdma()).isEqualTo(mode() == SocketMode.RDMA);
        connection.close();
        handler.awaitClose();
    }

    @Test
    void shouldKeepTheOrderOfEachWriter() throws Exception {
        int writers = 4;
        int each = DeviceUnderTest.rounds(5000);
        RecordingHandler peer = new RecordingHandler();
        Connection connection = connect(fixture.server(() -> peer));
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int w = 0; w < writers; w++) {
            int writer = w;
            threads.add(CompletableFuture.runAsync(() -> writeCounting(connection, writer, each)));
        }
        threads.forEach(CompletableFuture::join);
        Eventually.become(() -> peer.bytes().length == writers * each * 4, connection::statistics);

        byte[] all = peer.bytes();
        int[] next = new int[writers];
        for (int i = 0; i < all.length; i += 4) {
            int count = (all[i + 1] & 0xFF) << 16 | (all[i + 2] & 0xFF) << 8 | all[i + 3] & 0xFF;
            assertThat(count).isEqualTo(next[all[i]]++);
        }
        connection.close();
        handler.awaitClose();
    }

    private void writeCounting(Connection connection, int writer, int each) {
        for (int i = 0; i < each; i++) {
            byte[] message = {(byte) writer, (byte) (i >>> 16), (byte) (i >>> 8), (byte) i};
            connection.write(fixture.bytes(message));
        }
    }

    @Test
    void shouldRefuseWritesWhileTooMuchWaits() throws Exception {
        reopen(ConnectionFixture.FLAGS.with(TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, 1 << 20));
        try (StuckHandler peer = new StuckHandler()) {
            Connection connection = connect(fixture.server(() -> peer));
            IOBuf piece = fixture.text("");
            long taken = 0;
            TransportError refusal = TransportError.EINTERNAL;
            while (refusal == TransportError.EINTERNAL) {
                piece.append(new byte[100_000]);
                try {
                    connection.write(piece);
                    taken += 100_000;
                } catch (TransportException e) {
                    refusal = e.error();
                }
                assertThat(taken).isLessThan(1L << 30);
            }
            assertThat(refusal).isEqualTo(TransportError.EOVERCROWDED);
            assertThat(piece.size()).as("left in the buffer").isEqualTo(100_000);
            assertThat(connection.unwrittenBytes()).isLessThan((1L << 20) + 100_000);
            IOBuf last = fixture.text("");
            long urgent = writeBeyondLimit(connection, last);

            peer.letGo();

            Eventually.be(0L, connection::unwrittenBytes);
            connection.write(piece);
            connection.write(last);
            long all = taken + 100_000 + urgent + 100_000;
            Eventually.become(() -> peer.bytes().length == all, connection::statistics);
            connection.close();
            handler.awaitClose();
        }
    }

    /**
     * {@return how many bytes it took until it refused the next 100,000, which stay in the buffer}
     */
    private static long writeBeyondLimit(Connection connection, IOBuf last) {
        long taken = 0;
        while (true) {
            last.append(new byte[100_000]);
            try {
                connection.writeBeyondLimit(last);
                taken += 100_000;
            } catch (TransportException e) {
                assertThat(e.error()).isEqualTo(TransportError.EOVERCROWDED);
                // more if the system takes some of it meanwhile
                assertThat(taken).isGreaterThanOrEqualTo(900_000L);
                assertThat(connection.unwrittenBytes())
                        .isLessThan((1L << 20) + TransportFlags.BEYOND_LIMIT_BYTES + 100_000);
                return taken;
            }
        }
    }

    @Test
    void shouldReleaseUserMemoryWhenItIsWritten() throws Exception {
        AtomicInteger released = new AtomicInteger();
        RecordingHandler peer = new RecordingHandler();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(300_000).fill((byte) 7);
            Connection connection = connect(fixture.server(() -> peer));

            connection.write(fixture.userData(memory, released::incrementAndGet));

            Eventually.become(() -> peer.bytes().length == 300_000, connection::statistics);
            assertThat(peer.bytes()).containsOnly(7);
            Eventually.be(1, released::get);
            connection.close();
            handler.awaitClose();
            fixture.closeUserMemory();
        }
    }

    @Test
    void shouldReleaseEverythingWhenAbortedInTheMiddle() throws Exception {
        AtomicInteger released = new AtomicInteger();
        try (Arena arena = Arena.ofShared();
                StuckHandler peer = new StuckHandler()) {
            MemorySegment memory = arena.allocate(8 << 20);
            Connection connection = connect(fixture.server(() -> peer));
            for (int i = 0; i < 4; i++) {
                connection.write(fixture.userData(memory, released::incrementAndGet));
            }

            connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
            Eventually.be(4, released::get);
            Eventually.be(0L, connection::unwrittenBytes);
            fixture.closeUserMemory();
        }
    }

    @Test
    void shouldDeliverEverythingBeforeItCloses() throws Exception {
        RecordingHandler peer =
                new RecordingHandler() {
                    @Override
                    public void onOpen(Connection connection) {
                        super.onOpen(connection);
                        // may come while this side closes, and must not disturb that
                        connection.write(fixture.serverTransport().pool().buffer().append("late"));
                    }
                };
        Connection connection = connect(fixture.server(() -> peer));

        connection.write(fixture.bytes(new byte[4 << 20]));
        connection.close();

        assertThat(peer.awaitClose().error()).isEqualTo(TransportError.EEOF);
        assertThat(peer.bytes()).hasSize(4 << 20);
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
    }

    @Test
    void shouldNotWaitForEverForAPeerThatTakesNothing() throws Exception {
        reopen(ConnectionFixture.FLAGS.with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 200));
        try (StuckHandler peer = new StuckHandler()) {
            Connection connection = connect(fixture.server(() -> peer));

            connection.write(fixture.bytes(new byte[8 << 20]));
            connection.close();

            assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }
    }

    @Test
    void shouldRefuseWritesAfterClose() throws Exception {
        TransportServer server = fixture.server();
        Connection connection = connect(server);
        fixture.only(server).close();
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

    @Test
    void shouldNoticeThatThePeerIsGone() throws Exception {
        Connection connection = connect(fixture.server());

        connection.abort(new TransportException(TransportError.EINTERNAL, "on purpose"));

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EINTERNAL);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldCloseOnlyWhatIsIdle() throws Exception {
        DeviceUnderTest.assumePunctual();
        TransportServer server =
                fixture.server(
                        mode(), ConnectionFixture.FLAGS.with(TransportFlag.IDLE_TIMEOUT_SEC, 2));
        Connection connection = connect(server);
        long begin = System.nanoTime();
        StringBuilder sent = new StringBuilder("PRPC");
        connection.write(fixture.text("PRPC"));
        while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(2500)) {
            sent.append('x');
            connection.write(fixture.text("x"));
            handler.awaitText(sent.toString());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }

        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.EUNUSED);
    }

    /** A handler that ends its connection inside a callback is not called inside that callback. */
    @Test
    void shouldNotCallAHandlerInsideItsOwnCallback() throws Exception {
        RecordingHandler strict =
                new RecordingHandler() {
                    private boolean isInside;
                    private long bytes;

                    @Override
                    public void onOpen(Connection connection) {
                        isInside = true;
                        super.onOpen(connection);
                        connection.write(fixture.serverTransport().pool().buffer().append("hi"));
                        isInside = false;
                    }

                    @Override
                    public void onData(Connection connection, IOBuf received) {
                        isInside = true;
                        bytes += received.size();
                        super.onData(connection, received);
                        // all that the client writes, which may arrive at once
                        if (bytes == "PRPCbye".length()) {
                            connection.abort(new TransportException(TransportError.ECLOSE, "mine"));
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
        Connection connection = connect(fixture.server(() -> strict));
        // over TCP a server learns of a client with its first bytes
        connection.write(fixture.text("PRPC"));
        handler.awaitText("hi");

        connection.write(fixture.text("bye"));

        assertThat(strict.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    @Test
    void shouldAskTheKernelToLookForVanishedPeers() throws Exception {
        Connection connection = connect(fixture.server());
        ChannelConfig config = ((SocketConnection) connection).channel().config();

        TcpOptions.of(ConnectionFixture.FLAGS)
                .forEach(
                        (option, value) ->
                                assertThat(config.getOption(option))
                                        .as(option.name())
                                        .isEqualTo(value));
        assertThat(TcpOptions.of(ConnectionFixture.FLAGS)).hasSize(5);
        connection.close();
        handler.awaitClose();
    }

    @Test
    void shouldTellThatNobodyListens() throws Exception {
        InetSocketAddress nobody;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            nobody = (InetSocketAddress) socket.getLocalSocketAddress();
        }
        TransportClient client = fixture.client();

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
                                        fixture.serverTransport(),
                                        server.localAddress(),
                                        mode(),
                                        RecordingHandler::new))
                .isInstanceOf(TransportException.class)
                .hasMessageContaining("bind");
    }

    @Test
    void shouldFreeItsPortWhenItIsClosed() {
        // a port that no connection of another process gets in between
        InetSocketAddress address =
                new InetSocketAddress(
                        fixture.server().localAddress().getAddress(), FreePort.choose());

        // each would fail to bind
        for (int i = 0; i < DeviceUnderTest.rounds(200); i++) {
            TransportServer.bind(
                            fixture.serverTransport(), address, mode(), () -> new ParsingEcho())
                    .close();
        }
    }

    @Test
    void shouldKeepConnectionsWhenItStopsAccepting() throws Exception {
        TransportServer server = fixture.server();
        Connection connection = connect(server);
        // answered, so the server has the connection: the client may have it earlier
        connection.write(fixture.text("PRPC"));
        handler.awaitText("PRPC");

        server.stopAccepting();

        Eventually.become(() -> isRefused(server.localAddress()), server::connections);
        connection.write(fixture.text("PRPC"));
        handler.awaitText("PRPCPRPC");
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
    void shouldCloseConnectionsWithTheServer() throws Exception {
        TransportServer server = fixture.server();
        Connection connection = connect(server);
        connection.write(fixture.text("PRPC"));
        handler.awaitText("PRPC");

        server.close();

        assertThat(server.connections()).isEmpty();
        assertThat(fixture.nextAccepted().awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        assertThat(handler.awaitClose().error()).isEqualTo(TransportError.EEOF);
    }

    /** Everything that was made is gone: no queue pair, no block, no connection. */
    @Test
    void shouldLeaveNothingBehindAfterManyConnections() throws Exception {
        TransportServer server = fixture.server();
        for (int i = 0; i < DeviceUnderTest.rounds(CONNECTIONS); i++) {
            RecordingHandler each = new RecordingHandler();
            Connection connection =
                    fixture.client(mode(), 2 + i % 2).connect(server.localAddress(), each);
            connection.write(fixture.text("PRPC" + i));
            each.awaitText("PRPC" + i);
            connection.close();
            assertThat(each.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
        }

        Eventually.become(() -> server.connections().isEmpty(), server::connections);
        Eventually.be(0, fixture::serverEndpoints);
        Eventually.be(0, fixture::clientEndpointCount);
    }
}
