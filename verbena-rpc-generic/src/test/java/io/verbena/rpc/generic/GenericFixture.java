// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.generic;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.SocketMode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Properties;

/** A server with one service, and a channel to it. */
final class GenericFixture implements AutoCloseable {
    final RpcNode serverSide;
    final RpcNode clientSide;
    final Server server;
    final Channel channel;
    final GenericChannel generic;

    GenericFixture(SocketMode mode, RpcService service) {
        this(mode, service, 20_000);
    }

    GenericFixture(SocketMode mode, RpcService service, int timeoutMs) {
        serverSide = open(mode, "soft0");
        clientSide = open(mode, "soft1");
        server =
                new Server(serverSide)
                        .add(service)
                        .start(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                ServerOptions.DEFAULT.withSocketMode(mode));
        channel =
                Channel.open(
                        clientSide,
                        "127.0.0.1:" + server.address().getPort(),
                        ChannelOptions.DEFAULT
                                .withSocketMode(mode)
                                .withTimeoutMs(timeoutMs)
                                .withConnectTimeoutMs(10_000)
                                .withMaxRetry(0));
        generic = new GenericChannel(channel);
    }

    private static RpcNode open(SocketMode mode, String device) {
        Properties flags = new Properties();
        flags.setProperty("rdma_device", device);
        flags.setProperty("rdma_memory_pool_initial_size_mb", "64");
        return RpcNode.open(mode, flags);
    }

    @Override
    public void close() {
        channel.close();
        server.close();
        clientSide.close();
        serverSide.close();
    }
}
