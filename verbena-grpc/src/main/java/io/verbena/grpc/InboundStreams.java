// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2Connection.PropertyKey;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.verbena.rpc.spi.ServerConnection;
import java.nio.charset.StandardCharsets;

/**
 * The streams of a client's connection: makes a {@link ServerStream} of each request. Called by the
 * holder of the link's turn.
 */
final class InboundStreams extends Http2EventAdapter {
    /** So many messages of the largest size may be on their way at the same time. */
    private static final int MAX_UNFINISHED_MESSAGES = 4;

    /** Anyone may ask for answers of the services of this module: they get little room. */
    private static final long MAX_BUILTIN_BYTES = 4L << 20;

    private final ServerConnection connection;
    private final CodecLimits limits;
    private final Routes routes;
    private final WaitingBytes answers;
    private final WaitingBytes builtinAnswers = new WaitingBytes(MAX_BUILTIN_BYTES);
    private Http2Link link;
    private PropertyKey key;
    private CharSequence accepted;

    /** Calls without an answer; those that were reset count as well, for their services run. */
    private int unanswered;

    /** Bytes of messages that are not complete. */
    private long unfinishedBytes;

    InboundStreams(ServerConnection connection, CodecLimits limits, Builtins builtins) {
        this.connection = connection;
        this.limits = limits;
        this.routes = new Routes(this, builtins);
        this.answers = new WaitingBytes(connection.server().maxUnwrittenBytes());
    }

    /** Gives it its link, once, before anything arrives. */
    void attach(Http2Link made) {
        link = made;
        key = made.connection().newKey();
    }

    ServerConnection connection() {
        return connection;
    }

    Routes routes() {
        return routes;
    }

    Http2Link link() {
        return link;
    }

    /** {@return answers of calls that wait for the client's windows} */
    WaitingBytes answers() {
        return answers;
    }

    /** {@return those of the services of this module} */
    WaitingBytes builtinAnswers() {
        return builtinAnswers;
    }

    private ServerStream find(int id) {
        Http2Stream stream = link.connection().stream(id);
        return stream == null ? null : stream.getProperty(key);
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
            boolean isEnd)
            throws Http2Exception {
        onHeadersRead(context, id, headers, padding, isEnd);
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext context, int id, Http2Headers headers, int padding, boolean isEnd)
            throws Http2Exception {
        ServerStream known = find(id);
        if (known != null) {
            // trailers: gRPC's clients have nothing to say in them
            if (isEnd) {
                known.onEnd();
            }
            return;
        }
        if (unanswered >= limits.maxStreams()) {
            throw Http2Exception.streamError(
                    id, Http2Error.REFUSED_STREAM, "calls: %d without an answer", unanswered);
        }
        Http2Stream stream = link.connection().stream(id);
        ServerStream made = new ServerStream(this, stream, headers);
        stream.setProperty(key, made);
        made.begin();
        if (isEnd) {
            made.onEnd();
        }
    }

    @Override
    public int onDataRead(
            ChannelHandlerContext context, int id, ByteBuf data, int padding, boolean isEnd) {
        int size = data.readableBytes();
        ServerStream stream = find(id);
        int consumed = stream == null ? size : stream.onData(data);
        if (stream != null && isEnd) {
            stream.onEnd();
        }
        return consumed + padding;
    }

    @Override
    public void onStreamClosed(Http2Stream closed) {
        ServerStream stream = closed.removeProperty(key);
        if (stream != null) {
            stream.onClosed();
        }
    }

    /** {@return why a client is refused; empty if it is not} Asked again for other credentials. */
    String authenticate(CharSequence credential) {
        if (accepted != null && accepted.toString().contentEquals(credential)) {
            return "";
        }
        String refusal =
                connection.authenticate(
                        credential.toString().getBytes(StandardCharsets.ISO_8859_1));
        if (refusal.isEmpty()) {
            accepted = credential;
        }
        return refusal;
    }

    /** A call was accepted. */
    void entered() {
        unanswered++;
    }

    /** A call was answered. */
    void left() {
        unanswered--;
    }

    /**
     * {@return whether there is room for more bytes of unfinished messages}
     *
     * @param change how many more there are, or fewer
     */
    boolean changeUnfinished(long change) {
        unfinishedBytes += change;
        return unfinishedBytes <= connection.server().maxBodyBytes() * MAX_UNFINISHED_MESSAGES;
    }
}
