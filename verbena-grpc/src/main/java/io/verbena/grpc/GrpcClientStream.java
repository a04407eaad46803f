// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.Connection;
import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

/**
 * A call on a stream of its own. Frames are handled in the link's turn; the core starts, reads,
 * writes and cancels from any thread.
 */
final class GrpcClientStream implements ClientStream {
    private static final int NONE = -1;

    private final ClientRequest request;
    private final StreamEvents events;
    private final ClientView channel;
    private final ReceivedMessages received;
    private final SentMessages sent;
    private final Map<String, String> fields = new ConcurrentHashMap<>();
    private final AtomicBoolean isOver = new AtomicBoolean();

    /** Null if there is no connection. */
    private volatile ClientLink link;

    /** In the turn, like all that follows. */
    private int id = NONE;

    private boolean hasHead;
    private boolean isClosed;

    GrpcClientStream(ClientRequest request, StreamEvents events, ClientView channel) {
        this.request = request;
        this.events = events;
        this.channel = channel;
        this.received =
                new ReceivedMessages(
                        new Responses(),
                        channel.transport().pool(),
                        channel::maxBodyBytes,
                        RpcError.ERESPONSE);
        this.sent = new SentMessages(new Requests(), channel.transport().pool(), this::isGzip);
    }

    private boolean isGzip() {
        return request.compressType() == CompressType.GZIP.code();
    }

    /** Sends the call. */
    void start(Supplier<ClientLink> links) throws IOException {
        Http2Headers headers = RequestHeaders.of(request, channel);
        ByteBuf only = null;
        if (request.request().isPresent()) {
            Message message = request.request().get();
            only = Messages.encode(message, isGzip(), channel.transport().pool());
        }
        ByteBuf first = only;
        ClientLink made = links.get();
        link = made;
        try {
            // nobody may poll for the answer
            made.link().transport().attend();
        } catch (Throwable e) {
            made.turnBack();
            throw e;
        }
        made.link().execute(() -> enter(headers, first));
    }

    private void enter(Http2Headers headers, ByteBuf only) {
        try {
            open(headers, only);
        } finally {
            link.arrived();
        }
    }

    private void open(Http2Headers headers, ByteBuf only) {
        Http2Link http2 = link.link();
        // after GOAWAY the codec takes a new stream for an error of the connection
        if (isClosed || !link.isUsable()) {
            release(only);
            over(link.endCode(), link.endText());
            return;
        }
        id = link.add(this);
        if (id < 0) {
            release(only);
            over(link.endCode(), link.endText());
            return;
        }
        if (http2.isOver()) {
            // the end of the connection follows, and says why
            release(only);
            return;
        }
        watch(http2.encoder().writeHeaders(http2.context(), id, headers, 0, false, promise()));
        if (only != null) {
            watch(http2.encoder().writeData(http2.context(), id, only, 0, true, promise()));
        }
    }

    private static void release(ByteBuf bytes) {
        if (bytes != null) {
            bytes.release();
        }
    }

    private ChannelPromise promise() {
        return link.link().context().newPromise();
    }

    /** What cannot be written ends the call. */
    private void watch(ChannelFuture written) {
        var _ =
                written.addListener(
                        done -> {
                            if (!done.isSuccess()) {
                                over(link.endCode(), link.endText());
                                onClosed();
                            }
                        });
    }

    /** Reports the outcome, if there is none yet. Any thread. */
    void over(int code, String text) {
        // before it is claimed: nobody else would report it if there were no memory for the text
        String shown = code == 0 || text.startsWith("[E") ? text : "[E" + code + "]" + text;
        if (isOver.compareAndSet(false, true)) {
            events.onOver(code, shown);
        }
    }

    private void fail(GrpcStatus status, String text) {
        over(status.errorCode(), text);
        reset();
    }

    /** Headers have arrived: the first, or the trailers, or both in one. */
    void onHeaders(Http2Headers headers, boolean isEnd) {
        Metadata.read(headers, fields);
        if (!hasHead && !isEnd) {
            hasHead = true;
            Optional<String> refusal = ResponseStatus.refusal(headers);
            if (refusal.isPresent()) {
                fail(ResponseStatus.ofHttp(headers), refusal.get());
            }
            return;
        }
        if (isEnd) {
            onEnd(headers);
        }
    }

    private void onEnd(Http2Headers trailers) {
        try {
            received.onEnd();
        } catch (MalformedMessageException e) {
            fail(e.status(), e.getMessage());
            return;
        }
        over(ResponseStatus.errorCode(trailers), ResponseStatus.text(trailers));
    }

    void onData(ByteBuf data, boolean isEnd) {
        try {
            received.onData(data);
        } catch (MalformedMessageException e) {
            fail(e.status(), e.getMessage());
            return;
        }
        if (isEnd) {
            fail(GrpcStatus.INTERNAL, "the server ended its answer without a status");
        }
    }

    void onReset(Http2Error error) {
        GrpcStatus status =
                switch (error) {
                    case REFUSED_STREAM -> GrpcStatus.UNAVAILABLE;
                    case CANCEL -> GrpcStatus.CANCELLED;
                    case ENHANCE_YOUR_CALM -> GrpcStatus.RESOURCE_EXHAUSTED;
                    case null, default -> GrpcStatus.INTERNAL;
                };
        over(status.errorCode(), "the server reset the stream: " + error);
    }

    /** The stream is over. */
    void onClosed() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        over(link.endCode(), link.endText());
        if (id >= 0) {
            link.remove(id);
        }
    }

    /** Tells the server that nobody waits. In the turn. */
    private void reset() {
        if (isClosed) {
            return;
        }
        Http2Link http2 = link.link();
        if (id >= 0 && !http2.isOver()) {
            var _ =
                    http2.handler()
                            .encoder()
                            .writeRstStream(
                                    http2.context(), id, Http2Error.CANCEL.code(), promise());
        }
        onClosed();
    }

    @Override
    public MessageSink requests() {
        return sent;
    }

    @Override
    public MessageSource responses() {
        return received;
    }

    @Override
    public Map<String, String> responseUserFields() {
        return fields;
    }

    @Override
    public Optional<Connection> connection() {
        return Optional.ofNullable(link).map(made -> made.link().transport());
    }

    @Override
    public void cancel(int code) {
        isOver.set(true);
        if (link != null) {
            link.link().execute(this::reset);
        }
        // readers of streams read on after the end, and close their source
        if (!request.method().isClientStreaming() && !request.method().isServerStreaming()) {
            received.close();
        }
    }

    /** The responses, as the stream brings them. */
    private final class Responses implements ReceivedMessages.Stream {
        @Override
        public void credit(int bytes) {
            Http2Stream stream = link.link().connection().stream(id);
            if (stream != null) {
                link.link().credit(stream, bytes);
            }
        }

        @Override
        public void execute(Runnable task) {
            if (link == null) {
                task.run();
            } else {
                link.link().execute(task);
            }
        }

        @Override
        public void onReadable() {
            events.onReadable();
        }
    }

    /** The requests, as the stream takes them. */
    private final class Requests implements SentMessages.Stream {
        @Override
        public void write(ByteBuf message, Runnable onWritten) {
            if (link == null) {
                message.release();
                onWritten.run();
                return;
            }
            link.link().execute(() -> writeNow(message, onWritten));
        }

        private void writeNow(ByteBuf message, Runnable onWritten) {
            Http2Link http2 = link.link();
            if (isClosed || http2.isOver()) {
                message.release();
                onWritten.run();
                return;
            }
            ChannelFuture written =
                    http2.encoder().writeData(http2.context(), id, message, 0, false, promise());
            watch(written);
            var _ = written.addListener(done -> onWritten.run());
        }

        @Override
        public void onWritable() {
            events.onWritable();
        }

        @Override
        public void end() {
            if (link != null) {
                link.link().execute(this::endNow);
            }
        }

        private void endNow() {
            Http2Link http2 = link.link();
            if (!isClosed && !http2.isOver()) {
                watch(
                        http2.encoder()
                                .writeData(
                                        http2.context(),
                                        id,
                                        Unpooled.EMPTY_BUFFER,
                                        0,
                                        true,
                                        promise()));
            }
        }
    }
}
