// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.Entry;
import io.verbena.bench.measure.Measurement;
import io.verbena.bench.measure.Plan;
import io.verbena.bench.measure.ResidentMemory;
import io.verbena.bench.verbs.TestKind;
import io.verbena.bench.verbs.VerbsLane;
import io.verbena.memory.IOBuf;
import io.verbena.tools.ToolException;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.ToDoubleFunction;

/** The side of {@code bench stream} that decides and measures, all variants in turn. */
final class StreamClient implements AutoCloseable {
    private static final int WRITES_AT_ONCE = 8;
    private static final double NS_PER_US = 1e3;
    private static final double MIB = 1 << 20;

    private final StreamSizes sizes;
    private final StreamTransport shared;
    private final Transport transport;
    private final InetSocketAddress address;
    private final InetSocketAddress nettyAddress;
    private final MultiThreadIoEventLoopGroup loops =
            new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    StreamClient(StreamSizes sizes, StreamTransport shared, int port, int nettyPort) {
        this.sizes = sizes;
        this.shared = shared;
        this.transport = shared.transport();
        this.address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        this.nettyAddress = new InetSocketAddress(InetAddress.getLoopbackAddress(), nettyPort);
    }

    StreamReport measure(Plan plan, BenchOptions options) throws InterruptedException {
        // first, before traffic leaves garbage that would hide the growth
        Idle idle = measureIdle();
        StreamOrder echo = new StreamOrder(StreamOrder.Task.ECHO, sizes.echoBytes());
        StreamOrder count = new StreamOrder(StreamOrder.Task.COUNT, sizes.writeBytes());
        StreamReport.Ways echoes =
                measure(
                        plan,
                        echo,
                        new VerbsLane(TestKind.SEND_LAT, sizes.echoBytes(), options),
                        sizes.echoes(),
                        run -> run.medianNs() / NS_PER_US);
        StreamReport.Ways writes =
                measure(
                        plan,
                        count,
                        new VerbsLane(TestKind.SEND_BW, sizes.writeBytes(), options),
                        sizes.writes(),
                        run -> run.messagesPerSecond() * sizes.writeBytes() / MIB);
        return new StreamReport(
                shared.device(),
                plan.rounds(),
                echoes,
                writes,
                sizes.idle(),
                idle.client(),
                idle.server());
    }

    /** What one idle connection costs, in resident bytes. */
    private record Idle(OptionalLong client, OptionalLong server) {}

    private StreamReport.Ways measure(
            Plan plan,
            StreamOrder order,
            VerbsLane verbs,
            int count,
            ToDoubleFunction<Measurement> figure) {
        try (verbs;
                TransportLane rdma = lane(SocketMode.RDMA, order);
                TransportLane tcp = lane(SocketMode.TCP, order);
                NettyLane netty = new NettyLane(loops, nettyAddress, order, WRITES_AT_ONCE)) {
            if (!rdma.isRdma()) {
                throw new ToolException("the connection fell back to TCP (expected: RDMA)");
            }
            int share = StreamSizes.kernelShare(count);
            List<Entry> entries =
                    List.of(
                            new Entry(verbs, count, share),
                            new Entry(rdma, count, share),
                            new Entry(tcp, share, share),
                            new Entry(netty, share, share));
            plan.run(entries);
            return StreamReport.Ways.of(order.bytes(), entries, figure);
        }
    }

    private TransportLane lane(SocketMode mode, StreamOrder order) {
        return new TransportLane(
                transport, new TransportClient(transport, mode), address, order, WRITES_AT_ONCE);
    }

    /** The first tenth is a warm-up; the growth of resident memory is measured over the rest. */
    private Idle measureIdle() {
        int all = sizes.idle();
        List<Connection> idle = new ArrayList<>();
        addIdle(idle, all / 10);
        OptionalLong serverBefore = serverMemory();
        OptionalLong clientBefore = ResidentMemory.afterCollection();
        addIdle(idle, all - all / 10);
        OptionalLong serverAfter = serverMemory();
        OptionalLong clientAfter = ResidentMemory.afterCollection();
        idle.forEach(Connection::close);
        int counted = Math.max(1, all - all / 10);
        return new Idle(
                ResidentMemory.growth(clientBefore, clientAfter, counted),
                ResidentMemory.growth(serverBefore, serverAfter, counted));
    }

    private void addIdle(List<Connection> idle, int count) {
        TransportClient client = new TransportClient(transport, SocketMode.RDMA);
        StreamOrder rest = new StreamOrder(StreamOrder.Task.REST, 0);
        for (int i = 0; i < count; i++) {
            Connection connection = client.open(address, new Answer(0)).join();
            connection.write(transport.pool().buffer().append(rest.encode()));
            idle.add(connection);
        }
    }

    private OptionalLong serverMemory() {
        Answer answer = new Answer(Long.BYTES);
        TransportClient client = new TransportClient(transport, SocketMode.TCP);
        Connection connection = client.open(address, answer).join();
        StreamOrder tell = new StreamOrder(StreamOrder.Task.TELL_MEMORY, 0);
        connection.write(transport.pool().buffer().append(tell.encode()));
        long resident = answer.value.join();
        connection.close();
        return resident < 0 ? OptionalLong.empty() : OptionalLong.of(resident);
    }

    @Override
    public void close() {
        Future<?> _ = loops.shutdownGracefully();
    }

    /** Waits for a number, or for nothing. */
    private static final class Answer implements ConnectionHandler {
        private final int expected;
        private final CompletableFuture<Long> value = new CompletableFuture<>();

        Answer(int expected) {
            this.expected = expected;
        }

        @Override
        public void onOpen(Connection connection) {
            // the thread that waits for an answer sends the request
        }

        @Override
        public void onData(Connection connection, IOBuf received) {
            if (expected > 0 && received.size() >= expected) {
                value.complete(received.reader(ByteOrder.BIG_ENDIAN).readLong());
                received.clear();
            }
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            value.completeExceptionally(reason);
        }
    }
}
