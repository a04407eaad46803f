// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** The server of {@link NettyLane}: does the same as {@link StreamService}, with plain Netty. */
final class NettyEcho extends ChannelInboundHandlerAdapter {
    private final ByteBuf head = Unpooled.buffer(StreamOrder.LENGTH);
    private StreamOrder order = new StreamOrder(StreamOrder.Task.REST, 0);
    private long counted;

    /** {@return a server on any free port of this host} */
    static Channel listen(EventLoopGroup loops) {
        return new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(
                        new ChannelInitializer<Channel>() {
                            @Override
                            protected void initChannel(Channel channel) {
                                channel.pipeline().addLast(new NettyEcho());
                            }
                        })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .syncUninterruptibly()
                .channel();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object read) {
        ByteBuf bytes = (ByteBuf) read;
        takeOrder(bytes);
        if (order.task() == StreamOrder.Task.ECHO && bytes.isReadable()) {
            ChannelFuture _ = context.writeAndFlush(bytes, context.voidPromise());
            return;
        }
        counted += bytes.readableBytes();
        bytes.release();
        if (order.task() == StreamOrder.Task.COUNT) {
            answer(context);
        }
    }

    private void takeOrder(ByteBuf bytes) {
        int missing = StreamOrder.LENGTH - head.readableBytes();
        if (missing > 0) {
            head.writeBytes(bytes, Math.min(missing, bytes.readableBytes()));
            if (head.readableBytes() == StreamOrder.LENGTH) {
                order = StreamOrder.decode(head.array().clone());
            }
        }
    }

    private void answer(ChannelHandlerContext context) {
        for (; counted >= order.bytes(); counted -= order.bytes()) {
            ByteBuf one = context.alloc().directBuffer(1).writeByte(1);
            ChannelFuture _ = context.writeAndFlush(one, context.voidPromise());
        }
    }
}
