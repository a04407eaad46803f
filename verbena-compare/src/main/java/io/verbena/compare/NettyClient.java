// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;
import java.util.Queue;

/** One connection of plain Netty. Answers come in the order of the requests. */
final class NettyClient extends ChannelInboundHandlerAdapter implements EchoClient {
    /** How many bytes the length in front of a frame has. */
    static final int LENGTH_BYTES = Integer.BYTES;

    private final EventLoopGroup loop;

    /** The outcomes of the calls under way. Only the event loop touches it. */
    private final Queue<Outcome> underWay = new ArrayDeque<>();

    private ChannelHandlerContext context;

    NettyClient(EventLoopGroup loop) {
        this.loop = loop;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public Caller caller(int bytes, Outcome outcome) {
        byte[] content = new byte[bytes];
        return () -> {
            if (context.executor().inEventLoop()) {
                // flushed with all others when what was read has been handled
                send(content, outcome);
            } else {
                context.executor()
                        .execute(
                                () -> {
                                    send(content, outcome);
                                    context.flush();
                                });
            }
        };
    }

    private void send(byte[] content, Outcome outcome) {
        underWay.add(outcome);
        ByteBuf frame = context.alloc().directBuffer(LENGTH_BYTES + content.length);
        frame.writeInt(content.length).writeBytes(content);
        ChannelFuture _ = context.write(frame, context.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object read) {
        ByteBuf frame = (ByteBuf) read;
        // a caller gets its bytes in an array of its own, as in an answer's message
        byte[] content = new byte[frame.readInt()];
        frame.readBytes(content);
        frame.release();
        underWay.remove().onAnswer(content.length);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        reading.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext failing, Throwable cause) {
        underWay.forEach(outcome -> outcome.onFailure(cause.toString()));
        underWay.clear();
    }

    @Override
    public void close() {
        Future<?> _ = loop.shutdownGracefully();
    }
}
