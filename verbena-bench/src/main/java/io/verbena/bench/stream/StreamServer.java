// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.netty.channel.Channel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.Future;

/**
 * The server process of {@code bench stream}: the transport, which serves RDMA and TCP on one port,
 * and plain Netty on another.
 */
final class StreamServer implements AutoCloseable {
    private final StreamTransport shared;
    private final TransportServer server;
    private final MultiThreadIoEventLoopGroup loops;
    private final Channel netty;

    StreamServer(StreamTransport shared) {
        this.shared = shared;
        this.server =
                TransportServer.bind(
                        shared.transport(),
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        SocketMode.RDMA,
                        () -> new StreamService(shared.transport().pool()));
        this.loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        this.netty = NettyEcho.listen(loops);
    }

    /** {@return the port of the transport} */
    int port() {
        return server.localAddress().getPort();
    }

    /** {@return the port of plain Netty} */
    int nettyPort() {
        return ((InetSocketAddress) netty.localAddress()).getPort();
    }

    @Override
    public void close() {
        netty.close().syncUninterruptibly();
        Future<?> _ = loops.shutdownGracefully();
        server.close();
        shared.close();
    }
}
