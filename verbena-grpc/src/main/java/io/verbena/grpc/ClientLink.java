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
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.ClientView;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A connection to a server, and the streams on it.
 *
 * <p>Threads: streams and frames belong to the holder of the link's turn. After GOAWAY the calls
 * under way go on, and the connection closes with the last. So it does when the server is not
 * listed any more, but then calls may still come as long as one is under way.
 */
final class ClientLink extends Http2EventAdapter implements ConnectionHandler {
    /** No call can begin any more. */
    private static final int SHUT = Integer.MIN_VALUE;

    private final GrpcClient owner;
    private final InetSocketAddress server;

    /** In the turn. */
    private final IntObjectMap<GrpcClientStream> streams = new IntObjectHashMap<>();

    /** Made by the first who needs it: the transport may call before connecting returns. */
    private volatile Http2Link link;

    private final CompletableFuture<Void> opening = new CompletableFuture<>();
    private volatile boolean isUsable = true;
    private volatile boolean wasOpen;
    private volatile boolean hasEnded;

    /** How many calls have the link and are not among its streams yet; negative if it is shut. */
    private final AtomicInteger arriving = new AtomicInteger(1);

    /** Whether the server is not listed any more. In the turn. */
    private boolean isLeaving;

    /** Why streams end that end without a word. In the turn. */
    private int endCode = RpcError.ECLOSE.code();

    private String endText = "the connection is closed";

    private ClientLink(GrpcClient owner, InetSocketAddress server) {
        this.owner = owner;
        this.server = server;
    }

    /**
     * {@return a connection that a call has entered; it may not be open yet, and what is written
     * waits for that}
     */
    static ClientLink connect(GrpcClient owner, InetSocketAddress server) {
        ClientView channel = owner.channel();
        ClientLink made = new ClientLink(owner, server);
        TransportClient client =
                new TransportClient(
                        channel.transport(),
                        channel.socketMode(),
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

    /** {@return completes when it is open, or cannot be opened} */
    CompletableFuture<Void> opening() {
        return opening;
    }

    /** {@return whether a call may begin here, which is followed by {@link #arrived}} */
    boolean tryEnter() {
        return isUsable && arriving.incrementAndGet() > 0;
    }

    /** A call that has entered is a stream now, or never will be. In the turn. */
    void arrived() {
        arriving.decrementAndGet();
        closeIfDrained();
    }

    /** A call that has entered does not begin. */
    void turnBack() {
        link().execute(this::arrived);
    }

    /** The server is not listed any more: closes when no call has the link. */
    void leave() {
        link().execute(
                        () -> {
                            isLeaving = true;
                            closeIfDrained();
                        });
    }

    /** {@return whether the connection has ended} */
    boolean hasEnded() {
        return hasEnded;
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
        if (!streams.isEmpty()) {
            return;
        }
        if (isUsable && isLeaving && arriving.compareAndSet(0, SHUT)) {
            retire();
        }
        if (!isUsable) {
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
        opening.complete(null);
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
        hasEnded = true;
        owner.onEnd(this);
        opening.completeExceptionally(new RpcException(reason.code(), reason.detail()));
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
