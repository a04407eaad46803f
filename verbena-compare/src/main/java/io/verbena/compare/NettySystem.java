// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.ssl.SslContext;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Optional;

/**
 * Plain Netty over TCP with one event loop per process: frames of a length and bytes, and no
 * messages, methods or call ids. It is what calls over TCP could cost at best.
 */
public final class NettySystem implements EchoSystem {
    private static final int LARGEST_FRAME = 16 << 20;

    /** For {@link java.util.ServiceLoader}. */
    public NettySystem() {}

    @Override
    public String name() {
        return "netty";
    }

    @Override
    public int serve(Contestant contestant) {
        SocketAddress address =
                new ServerBootstrap()
                        .group(loop())
                        .channel(NioServerSocketChannel.class)
                        .childOption(ChannelOption.TCP_NODELAY, true)
                        .childHandler(pipeline(new EchoHandler(), serverTls(contestant)))
                        .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                        .syncUninterruptibly()
                        .channel()
                        .localAddress();
        return ((InetSocketAddress) address).getPort();
    }

    @Override
    public EchoClient connect(Contestant contestant, int port) {
        EventLoopGroup loop = loop();
        NettyClient client = new NettyClient(loop);
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.TCP_NODELAY, true)
                .handler(pipeline(client, clientTls(contestant)))
                .connect(InetAddress.getLoopbackAddress(), port)
                .syncUninterruptibly();
        return client;
    }

    private static EventLoopGroup loop() {
        return new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    }

    private static Optional<SslContext> serverTls(Contestant contestant) {
        return BenchCertificate.isUsedBy(contestant)
                ? Optional.of(BenchCertificate.open().nettyServer())
                : Optional.empty();
    }

    private static Optional<SslContext> clientTls(Contestant contestant) {
        return BenchCertificate.isUsedBy(contestant)
                ? Optional.of(BenchCertificate.open().nettyClient())
                : Optional.empty();
    }

    private static ChannelHandler pipeline(ChannelHandler last, Optional<SslContext> tls) {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel channel) {
                tls.ifPresent(
                        given -> channel.pipeline().addLast(given.newHandler(channel.alloc())));
                channel.pipeline()
                        .addLast(
                                // keeps the length, for the answer to begin with
                                new LengthFieldBasedFrameDecoder(
                                        LARGEST_FRAME, 0, NettyClient.LENGTH_BYTES))
                        .addLast(last);
            }
        };
    }

    /** Sends every frame back; all that one read brought leave together. */
    @ChannelHandler.Sharable
    private static final class EchoHandler extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object frame) {
            ChannelFuture _ = context.write(frame, context.voidPromise());
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }
}
