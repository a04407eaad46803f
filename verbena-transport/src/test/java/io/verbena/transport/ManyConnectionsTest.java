// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.transport.rdma.DeviceUnderTest;
import io.verbena.transport.rdma.Domains;
import io.verbena.transport.rdma.EndpointPair;
import io.verbena.transport.rdma.RdmaDevice;
import io.verbena.transport.rdma.RecordingSink;
import io.verbena.transport.rdma.Side;
import io.verbena.transport.rdma.WatchedDevice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Connections come and go, and leave nothing behind. */
class ManyConnectionsTest {
    /** 10,000 in the long run. */
    private static final int CONNECTIONS = Integer.getInteger("verbena.test.connections", 300);

    private static final int AT_ONCE = 10;

    /** The JVM's own, for compiled code, arenas of malloc and its heap. */
    private static final int MORE_MAPPINGS = 100;

    private static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.RDMA_RQ_SIZE, 16)
                    .with(TransportFlag.CONNECT_TIMEOUT_MS, 30_000)
                    .with(TransportFlag.RDMA_HANDSHAKE_TIMEOUT_MS, 30_000);

    private final WatchedDevice left = new WatchedDevice(DeviceUnderTest.LEFT);
    private final WatchedDevice right = new WatchedDevice(DeviceUnderTest.RIGHT);
    private final RdmaDevice a = left.open(FLAGS);
    private final RdmaDevice b = right.open(FLAGS);

    /** Makes connections, ends them, and waits for their ends. */
    private interface Round {
        void run(int count) throws Exception;
    }

    @Test
    @Timeout(600)
    void shouldLeaveNoEndpointBehind() throws Exception {
        expectNothingLeft(count -> connectAndClose(a, b, count));
        closeDevices();
    }

    /** The complete path: sockets, handshakes of both versions, bytes in both directions. */
    @Test
    @Timeout(600)
    void shouldLeaveNoConnectionBehind() throws Exception {
        try (Transport client = Transport.over(new RdmaDomain(a), FLAGS);
                Transport server = Transport.over(new RdmaDomain(b), FLAGS);
                TransportServer listening =
                        TransportServer.bind(
                                server,
                                SocketFixture.anyPort(),
                                SocketMode.RDMA,
                                ParsingEcho::new)) {
            expectNothingLeft(count -> echoAndClose(client, listening, count));
            assertThat(listening.connections()).isEmpty();
        }
        closeDevices();
    }

    private void expectNothingLeft(Round round) throws Exception {
        round.run(AT_ONCE);
        Domains.await("rest", () -> isAtRest(left) && isAtRest(right));
        long threads = threads();
        long descriptors = descriptors();
        long mappings = mappings();
        int regions = left.memoryRegions.get() + right.memoryRegions.get();

        round.run(CONNECTIONS);

        Domains.await("rest", () -> isAtRest(left) && isAtRest(right));
        // the threads that make queue pairs end on their own, after ten seconds without work
        Eventually.become(() -> threads() <= threads, ManyConnectionsTest::threads);
        Eventually.become(() -> descriptors() <= descriptors, ManyConnectionsTest::descriptors);
        Eventually.become(
                () -> mappings() <= mappings + MORE_MAPPINGS,
                () -> mappings() + " mappings, " + mappings + " before");
        Domains.awaitBlocks(a);
        Domains.awaitBlocks(b);
        assertThat(a.connections() + b.connections()).isZero();
        assertThat(left.memoryRegions.get() + right.memoryRegions.get())
                .isLessThanOrEqualTo(regions);
    }

    private void closeDevices() {
        long threads = threads();
        a.close();
        b.close();
        assertThat(left.queuePairs).hasValue(0);
        assertThat(right.queuePairs).hasValue(0);
        assertThat(left.memoryRegions).hasValue(0);
        assertThat(right.memoryRegions).hasValue(0);
        assertThat(threads()).isLessThan(threads);
    }

    private static void echoAndClose(Transport client, TransportServer server, int count)
            throws Exception {
        for (int done = 0; done < count; done += AT_ONCE) {
            List<Connection> connections = new ArrayList<>();
            List<RecordingHandler> handlers = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                RecordingHandler handler = new RecordingHandler();
                Connection connection = connect(client, server, handler, 2 + i % 2);
                connection.write(client.pool().buffer().append("PRPC"));
                connections.add(connection);
                handlers.add(handler);
            }
            for (int i = 0; i < AT_ONCE; i++) {
                handlers.get(i).awaitText("PRPC");
                assertThat(connections.get(i).isRdma()).isTrue();
                connections.get(i).close();
            }
            for (RecordingHandler handler : handlers) {
                assertThat(handler.awaitClose().error()).isEqualTo(TransportError.ECLOSE);
            }
            Eventually.become(() -> server.connections().isEmpty(), server::connections);
        }
    }

    private static Connection connect(
            Transport client, TransportServer server, ConnectionHandler handler, int version) {
        TransportFlags flags = FLAGS.with(TransportFlag.RDMA_CLIENT_HANDSHAKE_VERSION, version);
        return new TransportClient(client, SocketMode.RDMA, flags)
                .connect(server.localAddress(), handler);
    }

    /** Some are closed, some aborted, some never opened, some end in mid-stream. */
    private static void connectAndClose(RdmaDevice a, RdmaDevice b, int count) throws Exception {
        for (int done = 0; done < count; done += AT_ONCE) {
            List<EndpointPair> pairs = new ArrayList<>();
            List<RecordingSink> sinks = new ArrayList<>();
            for (int i = 0; i < AT_ONCE; i++) {
                RecordingSink left = new RecordingSink();
                RecordingSink right = new RecordingSink();
                EndpointPair pair = EndpointPair.open(a, b, left, right);
                pair.left.write(pair.leftBytes(new byte[1 + i * 1000]));
                pairs.add(pair);
                sinks.add(left);
                sinks.add(right);
            }
            a.endpoints().allocate(Side.CLIENT).abort(EndpointPair.bye());
            for (int i = 0; i < AT_ONCE; i++) {
                end(pairs.get(i), i, sinks.get(2 * i), sinks.get(2 * i + 1));
            }
        }
    }

    private static void end(EndpointPair pair, int how, RecordingSink left, RecordingSink right)
            throws Exception {
        if (how % 3 == 0) {
            right.awaitBytes(1 + how * 1000);
            pair.left.close(EndpointPair.bye());
            assertThat(left.awaitEnd().error()).isEqualTo(TransportError.ECLOSE);
        } else {
            pair.left.abort(EndpointPair.bye());
            left.awaitEnd();
        }
        pair.right.peerClosed(EndpointPair.peerBye());
        assertThat(right.awaitEnd().error()).isEqualTo(TransportError.EEOF);
    }

    /** No more queue pairs than the prepared ones. */
    private static boolean isAtRest(WatchedDevice device) {
        return device.queuePairs.get() <= 8;
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena-"))
                .count();
    }

    private static long mappings() {
        Path own = Path.of("/proc/self/maps");
        if (!Files.isReadable(own)) {
            return 0;
        }
        try (Stream<String> all = Files.lines(own)) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long descriptors() {
        Path own = Path.of("/proc/self/fd");
        if (!Files.isDirectory(own)) {
            return 0;
        }
        try (Stream<Path> all = Files.list(own)) {
            return all.count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
