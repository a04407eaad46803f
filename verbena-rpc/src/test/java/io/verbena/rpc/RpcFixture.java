// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * A node for servers on one software device and one for clients on another; or both on the device
 * that the system property {@code verbena.transport.device} names, whose network address is {@code
 * verbena.transport.address}.
 */
final class RpcFixture implements AutoCloseable {
    private static final String DEVICE = "verbena.transport.device";
    private static final String SERVER_DEVICE = System.getProperty(DEVICE, "soft0");
    private static final String CLIENT_DEVICE = System.getProperty(DEVICE, "soft1");
    private static final String ADDRESS =
            System.getProperty("verbena.transport.address", "127.0.0.1");

    static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    static final ChannelOptions PATIENT =
            ChannelOptions.DEFAULT.withTimeoutMs(20_000).withConnectTimeoutMs(10_000);

    static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(64, 64).withLeakTracking(LeakTracking.SIMPLE);

    /** One side: a device, its transport and its node. */
    static final class Side implements AutoCloseable {
        final Optional<RdmaDomain> domain;
        final BlockPool pool;
        final Transport transport;
        final RpcNode node;

        Side(String device, TransportFlags flags, BlockPoolOptions poolOptions) {
            if (device.isEmpty()) {
                domain = Optional.empty();
                pool = BlockPool.unregistered(poolOptions);
                transport = Transport.overTcp(pool, flags);
            } else {
                RdmaDomain open =
                        RdmaDomain.open(flags.with(TransportFlag.RDMA_DEVICE, device), poolOptions);
                domain = Optional.of(open);
                pool = open.pool();
                transport = Transport.over(open, flags);
            }
            node = RpcNode.over(transport, new RpcFlags());
        }

        @Override
        public void close() {
            eventually(() -> node.callsUnderWay() == 0, () -> "calls " + node.callsUnderWay());
            node.close();
            transport.close();
            eventually(() -> pool.outstanding().isEmpty(), () -> firstOf(pool));
            domain.ifPresentOrElse(RdmaDomain::close, pool::close);
        }
    }

    private static String firstOf(BlockPool pool) {
        return pool.outstanding().size() + " blocks, such as " + pool.outstanding().getFirst();
    }

    final Side serverSide;
    final Side clientSide;
    private final Deque<Runnable> opened = new ArrayDeque<>();

    RpcFixture(SocketMode mode) {
        this(mode, FLAGS);
    }

    RpcFixture(SocketMode mode, TransportFlags flags) {
        this(mode, flags, POOL);
    }

    RpcFixture(SocketMode mode, TransportFlags flags, BlockPoolOptions pool) {
        serverSide = new Side(mode == SocketMode.RDMA ? SERVER_DEVICE : "", flags, pool);
        clientSide = new Side(mode == SocketMode.RDMA ? CLIENT_DEVICE : "", flags, pool);
    }

    Server closing(Server server) {
        opened.push(server::close);
        return server;
    }

    Channel closing(Channel channel) {
        opened.push(channel::close);
        return channel;
    }

    <C extends Controller> C closing(C controller) {
        opened.push(controller::close);
        return controller;
    }

    /** {@return how often to do something: less often on a device that may be emulated} */
    static int rounds(int usual) {
        boolean isFull =
                System.getProperty(DEVICE) == null
                        || System.getProperty("verbena.rounds", "").equals("full");
        return isFull ? usual : Math.max(1, usual / 50);
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(ADDRESS, 0);
    }

    Server server(ServerOptions options) {
        return closing(
                new Server(serverSide.node).add(new EchoServices.Echo()).start(anyPort(), options));
    }

    Channel channel(Server server, ChannelOptions options) {
        return closing(Channel.open(clientSide.node, addressOf(server), options));
    }

    static String addressOf(Server server) {
        return ADDRESS + ":" + server.address().getPort();
    }

    /** Waits for something that happens on another thread and cannot be waited for otherwise. */
    static void eventually(BooleanSupplier condition, Supplier<String> state) {
        Eventually.become(condition, state);
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
        clientSide.close();
        serverSide.close();
    }
}
