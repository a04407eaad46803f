// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.testing.Eventually;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;

/** A node for servers and one for clients; closing it fails if memory is missing. */
final class GrpcFixture implements AutoCloseable {
    private static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);
    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(64, 64).withLeakTracking(LeakTracking.SIMPLE);

    private final SocketMode mode;
    private final Deque<Runnable> opened = new ArrayDeque<>();
    private final RpcNode serverNode;
    private final RpcNode clientNode;

    GrpcFixture(SocketMode mode) {
        this.mode = mode;
        this.serverNode = open("soft0");
        this.clientNode = open("soft1");
    }

    private RpcNode open(String device) {
        return switch (mode) {
            case TCP -> {
                BlockPool pool = BlockPool.unregistered(POOL);
                yield open(Transport.overTcp(pool, FLAGS), pool, pool::close);
            }
            case RDMA -> {
                RdmaDomain domain =
                        RdmaDomain.open(FLAGS.with(TransportFlag.RDMA_DEVICE, device), POOL);
                yield open(Transport.over(domain, FLAGS), domain.pool(), domain::close);
            }
        };
    }

    private RpcNode open(Transport transport, BlockPool pool, Runnable closeMemory) {
        RpcNode node = RpcNode.over(transport, new RpcFlags());
        opened.push(
                () -> {
                    Eventually.become(() -> node.callsUnderWay() == 0, () -> "calls under way");
                    node.close();
                    transport.close();
                    Eventually.become(
                            () -> pool.outstanding().isEmpty(),
                            () -> "blocks such as " + pool.outstanding().getFirst());
                    closeMemory.run();
                });
        return node;
    }

    Server server(RpcService service, ServerOptions options) {
        return server(service, options, 0);
    }

    Server server(RpcService service, ServerOptions options, int port) {
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

    RpcFlags clientFlags() {
        return clientNode.flags();
    }

    /** {@return a channel of grpc-java} */
    GrpcPeer peer(Server server) {
        GrpcPeer peer = new GrpcPeer(server.address().getPort());
        opened.push(peer::close);
        return peer;
    }

    /** {@return a channel that speaks gRPC} */
    Channel channel(int port, ChannelOptions options) {
        return plainChannel(port, options.withProtocol("grpc"));
    }

    /** {@return a channel that speaks gRPC to the servers of a registry, in turn} */
    Channel cluster(String url, ChannelOptions options) {
        Channel channel =
                Channel.open(
                        clientNode,
                        url,
                        "rr",
                        options.withProtocol("grpc")
                                .withTimeoutMs(20_000)
                                .withConnectTimeoutMs(10_000)
                                .withSocketMode(mode));
        opened.push(channel::close);
        return channel;
    }

    Channel plainChannel(int port, ChannelOptions options) {
        Channel channel =
                Channel.open(
                        clientNode,
                        "127.0.0.1:" + port,
                        options.withTimeoutMs(20_000)
                                .withConnectTimeoutMs(10_000)
                                .withSocketMode(mode));
        opened.push(channel::close);
        return channel;
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
    }
}
