// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import javax.net.ssl.X509TrustManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports to a connection what happens to its socket. */
final class SocketEvents extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(SocketEvents.class);

    private final SocketConnection connection;
    private final boolean isClient;
    private final Optional<TlsPeers> peers;

    /** What verifies the peer, or something older. */
    private final Optional<X509TrustManager> trust;

    private long startMs;

    /** Why the connection must end; or null. Bytes may be missing, so that no others may follow. */
    private Throwable fault;

    /**
     * Listens for a connection.
     *
     * @param connection whose
     * @param isClient whether this side has connected
     * @param peers those that TLS secures; empty without TLS
     */
    SocketEvents(SocketConnection connection, boolean isClient, Optional<TlsPeers> peers) {
        this.connection = connection;
        this.isClient = isClient;
        this.peers = peers;
        this.trust = peers.flatMap(TlsPeers::trust);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        startMs = System.currentTimeMillis();
        // a client's handshake runs inside TLS; a server does not know yet whether there is TLS
        if (!isClient || context.pipeline().get(SslHandler.class) == null) {
            connection.onConnected(isClient);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslHandshakeCompletionEvent completion) {
            onTls(context, completion);
        }
    }

    private void onTls(ChannelHandlerContext context, SslHandshakeCompletionEvent completion) {
        if (!completion.isSuccess()) {
            TransportException failure = failure(completion.cause());
            connection.countRefusal(failure);
            connection.stage().onEnd(failure);
        } else if (connection.tls().isPresent()) {
            // it costs this side much more than the peer
            connection.abort(
                    new TransportException(
                            TransportError.ESSL, "TLS: renegotiation (expected: none)"));
        } else {
            connection.onSecured(
                    TlsEvents.session(context.pipeline().get(SslHandler.class), startMs));
            peers.orElseThrow().add(connection, trust);
            if (isClient) {
                connection.onConnected(true);
            }
        }
    }

    private static TransportException failure(Throwable cause) {
        return cause instanceof ClosedChannelException
                ? new TransportException(
                        TransportError.ESSL,
                        "TLS: the peer closed the connection (expected: one that speaks TLS here)",
                        cause)
                : SocketFailure.of("TLS", cause);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (fault != null) {
            // there was not even memory to end it
            ReferenceCountUtil.release(message);
            end(context);
            return;
        }
        connection.stage().onRead((ByteBuf) message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        connection.stage().onReadComplete();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        connection.stage().onEnd(SocketFailure.peerClosed());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // first, and without any memory
        fault = cause;
        end(context);
    }

    private void end(ChannelHandlerContext context) {
        try {
            if (fault instanceof OutOfMemoryError) {
                LOG.warn("{} is closed: {}", connection, SocketFailure.outOfMemory(fault));
            }
        } finally {
            try {
                connection.stage().onEnd(SocketFailure.of("TCP", fault));
            } finally {
                ChannelFuture _ = context.close();
            }
        }
    }
}
