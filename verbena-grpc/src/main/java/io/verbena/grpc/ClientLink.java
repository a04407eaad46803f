// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.spi.ClientView;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.net.InetSocketAddress;

/**
 * A connection to a server, and the streams on it.
 *
 * <p>Threads: streams and frames belong to the holder of the link's turn. After GOAWAY the calls
 * under way go on, and the connection closes with the last.
 */
final class ClientLink extends Http2EventAdapter implements ConnectionHandler {
    private final GrpcClient owner;
    private final InetSocketAddress server;

    /** In the turn. */
    private final IntObjectMap<GrpcClientStream> streams = new IntObjectHashMap<>();

    /** Made by the first who needs it: the transport may call before connecting returns. */
    private volatile Http2Link link;

    private volatile boolean isUsable = true;
    private volatile boolean wasOpen;

    /** Why streams end that end without a word. In the turn. */
    private int endCode = RpcError.ECLOSE.code();

    private String endText = "the connection is closed";

    private ClientLink(GrpcClient owner, InetSocketAddress server) {
        this.owner = owner;
        this.server = server;
    }

    /** {@return a connection, which may not be open yet; what is written waits for that} */
    static ClientLink connect(GrpcClient owner, InetSocketAddress server) {
        ClientView channel = owner.channel();
        ClientLink made = new ClientLink(owner, server);
        SocketMode mode =
                channel.transport().isRdmaAvailable() ? channel.socketMode() : SocketMode.TCP;
        TransportClient client =
                new TransportClient(
                        channel.transport(),
                        mode,
                        channel.transport()
                                .flags()
                                .with(TransportFlag.CONNECT_TIMEOUT_MS, channel.connectTimeoutMs()),
                        channel.tls());
        var _ = made.linkOver(client.connect(server, made));
        return made;
    }

    private synchronized Http2Link linkOver(Connection connection) {
        if (link == null) {
            link =
                    new Http2Link(
                            connection,
                            owner.channel().transport().pool(),
                            false,
                            CodecLimits.DEFAULT,
                            this);
        }
        return link;
    }

    /** {@return the link} After connecting. */
    Http2Link link() {
        return link;
    }

    InetSocketAddress server() {
        return server;
    }

    /** {@return whether it takes new calls} */
    boolean isUsable() {
        return isUsable;
    }

    /**
     * Adds a stream and returns its number, or a negative one if there are no more. In the turn.
     */
    int add(GrpcClientStream stream) {
        int id = link().connection().local().incrementAndGetNextStreamId();
        if (id < 0) {
            endCode = RpcError.EH2RUNOUTSTREAMS.code();
            endText = "no more streams on this connection";
            retire();
        } else {
            streams.put(id, stream);
        }
        return id;
    }

    /** A stream is over. In the turn. */
    void remove(int id) {
        streams.remove(id);
        closeIfDrained();
    }

    private void retire() {
        isUsable = false;
        owner.forget(this);
    }

    private void closeIfDrained() {
        if (!isUsable && streams.isEmpty()) {
            link().transport().close();
        }
    }

    /** Calls under way end with ECLOSE. */
    void close() {
        retire();
        link().transport().close();
    }

    int endCode() {
        return endCode;
    }

    String endText() {
        return endText;
    }

    @Override
    public void onOpen(Connection connection) {
        wasOpen = true;
    }

    @Override
    public void onData(Connection connection, IOBuf received) {
        linkOver(connection).read(received);
    }

    @Override
    public void onClose(Connection connection, TransportException reason) {
        if (!wasOpen) {
            owner.channel().onUnreachable(server, reason);
        }
        Http2Link ended = linkOver(connection);
        // the reason first: a call that finds the link unusable reports it
        ended.execute(
                () -> {
                    endCode = reason.code();
                    endText = reason.detail();
                    retire();
                });
        ended.onClose();
        ended.execute(this::endAll);
    }

    /** Also those that wait for their turn to be opened. */
    private void endAll() {
        for (GrpcClientStream stream : streams.values().toArray(GrpcClientStream[]::new)) {
            stream.onClosed();
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int id,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean isExclusive,
            int padding,
            boolean isEnd) {
        onHeadersRead(context, id, headers, padding, isEnd);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context,
            int id,
            Http2Headers headers,
            int padding,
            boolean isEnd) {
        GrpcClientStream stream = streams.get(id);
        if (stream != null) {
            stream.onHeaders(headers, isEnd);
        }
    }

    @Override
    public int onDataRead(
            ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean isEnd) {
        int size = data.readableBytes();
        GrpcClientStream stream = streams.get(id);
        if (stream == null) {
            return size + padding;
        }
        stream.onData(data, isEnd);
        return padding;
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext context, int id, long code) {
        GrpcClientStream stream = streams.get(id);
        if (stream != null) {
            stream.onReset(Http2Error.valueOf(code));
        }
    }

    @Override
    public void onGoAwayReceived(int lastStreamId, long code, ByteBuf text) {
        // streams that the server has not seen are closed next: they can be tried elsewhere
        endCode = RpcError.ELOGOFF.code();
        endText = "the server is going away";
        retire();
        closeIfDrained();
    }

    @Override
    public void onStreamClosed(Http2Stream closed) {
        GrpcClientStream stream = streams.get(closed.id());
        if (stream != null) {
            stream.onClosed();
        }
    }
}
