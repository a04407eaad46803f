// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/** Looks at the first byte of a client: it speaks TLS, or it does not. Then it is gone. */
final class TlsDoor extends ChannelInboundHandlerAdapter {
    /** Every TLS connection begins with a handshake record; no other protocol here does. */
    private static final int HANDSHAKE_RECORD = 22;

    private final ServerTls tls;
    private final SocketConnection connection;

    TlsDoor(ServerTls tls, SocketConnection connection) {
        this.tls = tls;
        this.connection = connection;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            return;
        }
        if (bytes.getByte(bytes.readerIndex()) == HANDSHAKE_RECORD) {
            long limitMs = connection.flags().number(TransportFlag.TLS_HANDSHAKE_TIMEOUT_MS);
            context.pipeline()
                    .addAfter(context.name(), "tls", tls.handler(context.alloc(), limitMs));
        } else if (tls.options().isTlsOnly()) {
            bytes.release();
            TransportException refusal =
                    new TransportException(
                            TransportError.ESSL, "bytes without TLS (expected: TLS on this port)");
            connection.countRefusal(refusal);
            connection.abort(refusal);
            return;
        }
        context.fireChannelRead(bytes);
        context.pipeline().remove(this);
    }
}
