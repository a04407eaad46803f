// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import java.net.InetSocketAddress;

/** A plain Netty connection, to compare with the transport over TCP. */
final class NettyLane extends ChannelInboundHandlerAdapter implements Lane {
    private final ByteBuf message;
    private final Channel channel;
    private final StreamTraffic traffic;
    private long unread;

    NettyLane(EventLoopGroup loops, InetSocketAddress address, StreamOrder order, int atOnce) {
        this.traffic = new StreamTraffic(order, atOnce, this::send);
        this.message =
                PooledByteBufAllocator.DEFAULT.directBuffer(order.bytes()).writeZero(order.bytes());
        this.channel =
                new Bootstrap()
                        .group(loops)
                        .channel(NioSocketChannel.class)
                        .handler(this)
                        .connect(address)
                        .syncUninterruptibly()
                        .channel();
        ChannelFuture _ = channel.writeAndFlush(Unpooled.wrappedBuffer(order.encode()));
    }

    @Override
    public Measurement run(int count) {
        return traffic.run(count);
    }

    private void send() {
        ChannelFuture _ = channel.writeAndFlush(message.retainedDuplicate(), channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        ByteBuf bytes = (ByteBuf) read;
        unread += bytes.readableBytes();
        bytes.release();
        int answer = traffic.answerBytes();
        for (; unread >= answer; unread -= answer) {
            traffic.onAnswer();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        traffic.fail(cause);
        ChannelFuture _ = context.close();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        message.release();
    }
}
