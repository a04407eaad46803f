// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoService;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ConnectionType;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** A node for servers and one for clients; closing it fails if memory is missing. */
final class HttpFixture implements AutoCloseable {
    static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);
    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(64, 64).withLeakTracking(LeakTracking.SIMPLE);

    private final SocketMode mode;
    private final TransportFlags flags;
    private final Deque<Runnable> opened = new ArrayDeque<>();
    final RpcNode serverNode;
    private final RpcNode clientNode;

    HttpFixture(SocketMode mode) {
        this(mode, FLAGS);
    }

    HttpFixture(SocketMode mode, TransportFlags flags) {
        this.mode = mode;
        this.flags = flags;
        this.serverNode = open("soft0");
        this.clientNode = open("soft1");
    }

    private RpcNode open(String device) {
        return switch (mode) {
            case TCP -> {
                BlockPool pool = BlockPool.unregistered(POOL);
                yield open(Transport.overTcp(pool, flags), pool, pool::close);
            }
            case RDMA -> {
                RdmaDomain domain =
                        RdmaDomain.open(flags.with(TransportFlag.RDMA_DEVICE, device), POOL);
                yield open(Transport.over(domain, flags), domain.pool(), domain::close);
            }
        };
    }

    private RpcNode open(Transport transport, BlockPool pool, Runnable closeMemory) {
        RpcNode node = RpcNode.over(transport, new RpcFlags());
        opened.push(
                () -> {
                    eventually(() -> node.callsUnderWay() == 0, () -> "calls under way");
                    node.close();
                    transport.close();
                    eventually(
                            () -> pool.outstanding().isEmpty(),
                            () -> "blocks such as " + pool.outstanding().getFirst());
                    closeMemory.run();
                });
        return node;
    }

    Server server(ServerOptions options) {
        return server(new EchoResponder(), options);
    }

    Server server(EchoService service, ServerOptions options) {
        return server(service, options, 0);
    }

    Server server(EchoService service, ServerOptions options, int port) {
        Server server =
                new Server(serverNode)
                        .add(service)
                        .start(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                options.withSocketMode(mode));
        opened.push(server::close);
        return server;
    }

    RpcFlags serverFlags() {
        return serverNode.flags();
    }

    /** Makes calls by {@code baidu_std}. */
    void call(Server server, int count) {
        Channel channel = channel(server);
        for (int i = 0; i < count; i++) {
            new EchoServiceClient(channel).echo(EchoRequest.newBuilder().setMessage("x").build());
        }
    }

    Channel channel(Server server) {
        return channel(server.address().getPort(), options());
    }

    /** {@return a channel with TLS} */
    Channel channel(Server server, ClientSslOptions ssl) {
        return channel(server.address().getPort(), options().withSslOptions(ssl));
    }

    /** {@return a channel with TLS and credentials} */
    Channel channel(Server server, ClientSslOptions ssl, Authenticator auth) {
        return channel(server.address().getPort(), options().withSslOptions(ssl).withAuth(auth));
    }

    /** {@return a channel with TLS that connects anew for each call} */
    Channel shortChannel(Server server, ClientSslOptions ssl) {
        return channel(
                server.address().getPort(),
                options().withSslOptions(ssl).withConnectionType(ConnectionType.SHORT));
    }

    /** {@return a channel with TLS to any port of this host} */
    Channel channel(int port, ClientSslOptions ssl) {
        return channel(port, options().withSslOptions(ssl));
    }

    /** {@return a channel that speaks HTTP} */
    Channel httpChannel(Server server) {
        return httpChannel(server, ChannelOptions.DEFAULT);
    }

    Channel httpChannel(Server server, ChannelOptions options) {
        return httpChannel(server.address().getPort(), options);
    }

    Channel httpChannel(int port, ChannelOptions options) {
        return channel(port, patient(options).withProtocol("http"));
    }

    /** {@return a channel that speaks HTTP to the servers of a registry, in turn} */
    Channel httpCluster(String url, ChannelOptions options) {
        Channel channel =
                Channel.open(clientNode, url, "rr", patient(options).withProtocol("http"));
        opened.push(channel::close);
        return channel;
    }

    RpcFlags clientFlags() {
        return clientNode.flags();
    }

    private ChannelOptions options() {
        return patient(ChannelOptions.DEFAULT);
    }

    private ChannelOptions patient(ChannelOptions options) {
        return options.withTimeoutMs(20_000).withConnectTimeoutMs(10_000).withSocketMode(mode);
    }

    private Channel channel(int port, ChannelOptions options) {
        Channel channel = Channel.open(clientNode, "127.0.0.1:" + port, options);
        opened.push(channel::close);
        return channel;
    }

    /** Waits for something that happens on another thread and cannot be waited for otherwise. */
    static void eventually(BooleanSupplier condition, Supplier<String> state) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("still waiting; state: " + state.get());
            }
            LockSupport.parkNanos(100_000);
        }
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
    }
}
