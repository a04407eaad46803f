// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

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
import java.net.InetSocketAddress;

/** A plain Netty connection: what the transport over TCP is compared with. */
final class NettyLane extends ChannelInboundHandlerAdapter implements StreamLane {
    private final StreamOrder order;
    private final int atOnce;
    private final ByteBuf message;
    private final Channel channel;
    private volatile StreamRun running = new StreamRun(1);
    private long unread;

    NettyLane(EventLoopGroup loops, InetSocketAddress address, StreamOrder order, int atOnce) {
        this.order = order;
        this.atOnce = atOnce;
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
        StreamRun run = new StreamRun(count);
        running = run;
        int first = order.task() == StreamOrder.Task.ECHO ? 1 : Math.min(atOnce, count);
        for (int i = 0; i < first; i++) {
            run.tryStart();
        }
        for (int i = 0; i < first; i++) {
            send();
        }
        return run.await();
    }

    private void send() {
        ChannelFuture _ = channel.writeAndFlush(message.retainedDuplicate(), channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        ByteBuf bytes = (ByteBuf) read;
        unread += bytes.readableBytes();
        bytes.release();
        int answer = order.task() == StreamOrder.Task.ECHO ? order.bytes() : 1;
        StreamRun run = running;
        for (; unread >= answer; unread -= answer) {
            boolean isMore = run.tryStart();
            run.onEnd();
            if (isMore) {
                send();
            }
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        running.fail(cause);
        ChannelFuture _ = context.close();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        message.release();
    }
}
