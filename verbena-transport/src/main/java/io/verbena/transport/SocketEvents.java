// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports to a connection what happens to its socket. */
final class SocketEvents extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(SocketEvents.class);

    private final SocketConnection connection;
    private final boolean isClient;

    /**
     * Listens for a connection.
     *
     * @param connection whose
     * @param isClient whether this side has connected
     */
    SocketEvents(SocketConnection connection, boolean isClient) {
        this.connection = connection;
        this.isClient = isClient;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        connection.onConnected(isClient);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        connection.stage().onRead((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        connection.stage().onReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection
                .stage()
                .onEnd(
                        new TransportException(
                                TransportError.EEOF, "the peer closed the connection"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof OutOfMemoryError) {
            LOG.warn("{} is closed: {}", connection, SocketFailure.outOfMemory(cause));
        }
        connection.stage().onEnd(SocketFailure.of("TCP", cause));
        ChannelFuture _ = context.close();
    }
}
