// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import com.google.protobuf.Message;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.verbena.completion.Faults;
import io.verbena.completion.RareLog;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.RpcError;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A request on a stream of its own: passes what the client sends to a {@link Receiver}, and writes
 * the answer: headers, messages, and trailers with the status. Whatever goes wrong in this costs
 * the stream, not its connection. Belongs to the holder of the link's turn.
 */
final class ServerStream {
    private static final Logger LOG = LoggerFactory.getLogger(ServerStream.class);
    private static final RareLog FAULTS = new RareLog(ServerStream.class);

    private final InboundStreams owner;
    private final Http2Link link;
    private final Http2Stream stream;
    private final Http2Headers headers;

    /** Null if the request was refused before anybody could receive it. */
    private Receiver receiver;

    /** The user's part of the headers of the answer; null if they are not written. */
    private Map<String, String> headFields;

    private long unfinishedBytes;

    /** How many messages of a service of this module wait for the client's window. */
    private int waitingAnswers;

    private boolean isReadToEnd;
    private boolean isFinished;
    private boolean isClosed;

    ServerStream(InboundStreams owner, Http2Stream stream, Http2Headers headers) {
        this.owner = owner;
        this.link = owner.link();
        this.stream = stream;
        this.headers = headers;
    }

    InboundStreams owner() {
        return owner;
    }

    Http2Link link() {
        return link;
    }

    /** {@return the headers of the request} */
    Http2Headers headers() {
        return headers;
    }

    /** {@return what the client proves itself with; empty if nothing} Any thread. */
    byte[] credential() {
        CharSequence credential = headers.get(GrpcNames.AUTHORIZATION);
        return credential == null
                ? new byte[0]
                : credential.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** {@return whether messages of the request may be compressed with gzip} Any thread. */
    boolean isGzip() {
        CharSequence encoding = headers.get(GrpcNames.ENCODING);
        return encoding != null && AsciiString.contentEquals(GrpcNames.GZIP, encoding);
    }

    /** {@return whether the client reads answers that are compressed with gzip} Any thread. */
    boolean acceptsGzip() {
        CharSequence accepted = headers.get(GrpcNames.ACCEPT_ENCODING);
        return accepted != null && AsciiString.contains(accepted, GrpcNames.GZIP);
    }

    /** {@return whether its status was written} */
    boolean isFinished() {
        return isFinished;
    }

    /** {@return whether a message of a service of this module waits for the client's window} */
    boolean isAnswerWaiting() {
        return waitingAnswers > 0;
    }

    /** The headers have arrived. */
    void begin() {
        try {
            receiver = owner.routes().route(this);
        } catch (Throwable e) {
            onFault(e);
        }
    }

    /** {@return how many bytes have left the window; the others do when they are credited} */
    int onData(ByteBuf data) {
        int size = data.readableBytes();
        if (receiver == null || isFinished || isClosed) {
            return size;
        }
        try {
            long unfinished = receiver.onData(data);
            boolean isFitting = owner.changeUnfinished(unfinished - unfinishedBytes);
            unfinishedBytes = unfinished;
            if (!isFitting) {
                throw new MalformedMessageException(
                        GrpcStatus.RESOURCE_EXHAUSTED,
                        "messages: too many bytes of unfinished ones on this connection");
            }
        } catch (MalformedMessageException e) {
            fail(e.status(), e.getMessage());
        } catch (Throwable e) {
            onFault(e);
        }
        return 0;
    }

    /** Has the client send so many bytes more. */
    void credit(int bytes) {
        link.credit(stream, bytes);
    }

    /** The client has ended its half. */
    void onEnd() {
        isReadToEnd = true;
        if (receiver == null || isFinished || isClosed) {
            return;
        }
        try {
            receiver.onEnd();
        } catch (MalformedMessageException e) {
            fail(e.status(), e.getMessage());
        } catch (Throwable e) {
            onFault(e);
        }
    }

    /** Nobody knows what was done and what was not: the stream is over. */
    private void onFault(Throwable fault) {
        LOG.debug("a request failed", fault);
        FAULTS.warn(Faults.describe("a request cannot be handled", fault), link.transport());
        reset(Http2Error.INTERNAL_ERROR);
    }

    /** The stream is over. */
    void onClosed() {
        isClosed = true;
        owner.changeUnfinished(-unfinishedBytes);
        unfinishedBytes = 0;
        if (receiver != null) {
            receiver.onClosed();
        }
    }

    /** {@return whether there are headers of the answer now} */
    private boolean writeHead(Map<String, String> fields, boolean isCompressed) {
        if (headFields != null) {
            return true;
        }
        Http2Headers head;
        try {
            head = head(fields);
        } catch (IllegalArgumentException e) {
            fail(GrpcStatus.INTERNAL, e.getMessage());
            return false;
        }
        headFields = fields;
        if (isCompressed) {
            head.set(GrpcNames.ENCODING, GrpcNames.GZIP);
        }
        watch(link.encoder().writeHeaders(link.context(), stream.id(), head, 0, false, promise()));
        return true;
    }

    private static Http2Headers head(Map<String, String> fields) {
        Http2Headers head = new DefaultHttp2Headers();
        head.status("200");
        head.set(GrpcNames.CONTENT_TYPE, GrpcNames.GRPC);
        head.set(GrpcNames.ACCEPT_ENCODING, GrpcNames.ACCEPTED);
        Metadata.write(fields, head);
        return head;
    }

    /**
     * Writes the only message of an answer, if there is room for it; if not, the call fails.
     * Several messages are written by who asks for room before the next.
     *
     * @param message is released
     * @param fields the user's, for the headers
     * @param isCompressed whether messages may be compressed
     */
    void writeResponse(ByteBuf message, Map<String, String> fields, boolean isCompressed) {
        if (link.hasRoom(owner.answers())) {
            writeMessage(message, fields, isCompressed, () -> {});
            return;
        }
        message.release();
        finish(
                GrpcStatus.ofError(RpcError.EOVERCROWDED.code()),
                RpcError.EOVERCROWDED.code(),
                "the client does not take its answers: "
                        + owner.answers().now()
                        + " bytes wait for its windows",
                Map.of());
    }

    /**
     * Writes a message, and the headers of the answer before the first.
     *
     * @param message is released
     * @param fields the user's, for the headers
     * @param isCompressed whether messages may be compressed
     * @param onWritten runs when the message has left the queue of the stream, or never will
     */
    void writeMessage(
            ByteBuf message, Map<String, String> fields, boolean isCompressed, Runnable onWritten) {
        write(message, fields, isCompressed, owner.answers(), onWritten);
    }

    private void write(
            ByteBuf message,
            Map<String, String> fields,
            boolean isCompressed,
            WaitingBytes waiting,
            Runnable onWritten) {
        if (isClosed || isFinished || !writeHead(fields, isCompressed)) {
            message.release();
            onWritten.run();
            return;
        }
        long cost = waiting.add(message.readableBytes());
        ChannelFuture written =
                link.encoder().writeData(link.context(), stream.id(), message, 0, false, promise());
        watch(written);
        var _ =
                written.addListener(
                        done -> {
                            waiting.remove(cost);
                            onWritten.run();
                        });
    }

    /**
     * Writes a message of a service of this module, for which anyone may ask: if little room is
     * left, that ends the stream.
     */
    void writeMessage(Message message) {
        if (!link.hasRoom(owner.builtinAnswers())) {
            fail(
                    GrpcStatus.RESOURCE_EXHAUSTED,
                    "the client does not take its answers: "
                            + owner.builtinAnswers().now()
                            + " bytes wait for its windows");
            return;
        }
        try {
            ByteBuf bytes = Messages.encode(message, false, owner.connection().server().pool());
            waitingAnswers++;
            write(bytes, Map.of(), false, owner.builtinAnswers(), this::onAnswerWritten);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void onAnswerWritten() {
        waitingAnswers--;
        if (receiver != null) {
            receiver.onWritten();
        }
    }

    /**
     * {@return a message for a service of this module}
     *
     * @param message its bytes, which are released
     * @param isCompressed whether they are compressed
     * @param prototype an instance of its class
     */
    @SuppressWarnings("unchecked") // the message is of its prototype's class
    <M extends Message> M decode(IOBuf message, boolean isCompressed, M prototype)
            throws MalformedMessageException {
        try (message) {
            long most = owner.connection().server().maxBodyBytes();
            return (M) Messages.decode(message, isCompressed, most, prototype);
        } catch (IOException e) {
            throw new MalformedMessageException(
                    GrpcStatus.INVALID_ARGUMENT, "the request is malformed: " + e.getMessage());
        }
    }

    /** Answers that all went well. */
    void succeed() {
        finish(GrpcStatus.OK, 0, "", Map.of());
    }

    /** Answers that the call failed before a service had to do with it. */
    void fail(GrpcStatus status, String text) {
        finish(status, status.errorCode(), text, Map.of());
    }

    /**
     * Writes the status, and with it the end of the answer.
     *
     * @param status the status
     * @param errorCode brpc's code
     * @param text what went wrong
     * @param fields the user's; those that the headers had are left out
     */
    void finish(GrpcStatus status, int errorCode, String text, Map<String, String> fields) {
        if (isClosed || isFinished) {
            return;
        }
        Http2Headers trailers;
        try {
            trailers = headFields == null ? head(fields) : rest(fields);
        } catch (IllegalArgumentException e) {
            fail(GrpcStatus.INTERNAL, e.getMessage());
            return;
        }
        isFinished = true;
        trailers.setInt(GrpcNames.STATUS, status.code());
        if (status != GrpcStatus.OK) {
            trailers.setInt(GrpcNames.ERROR_CODE, errorCode);
            trailers.set(GrpcNames.MESSAGE, PercentText.encode(text));
        }
        end(trailers);
    }

    private Http2Headers rest(Map<String, String> fields) {
        Map<String, String> left = new HashMap<>(fields);
        left.entrySet().removeAll(headFields.entrySet());
        Http2Headers trailers = new DefaultHttp2Headers();
        Metadata.write(left, trailers);
        return trailers;
    }

    /** Answers a request that is not gRPC. */
    void refuse(int httpStatus, String text) {
        isFinished = true;
        Http2Headers answer = new DefaultHttp2Headers();
        answer.status(Integer.toString(httpStatus));
        answer.set(GrpcNames.MESSAGE, PercentText.encode(text));
        end(answer);
    }

    private void end(Http2Headers last) {
        ChannelFuture written =
                link.encoder().writeHeaders(link.context(), stream.id(), last, 0, true, promise());
        watch(written);
        // the client need not send the rest of a request that is answered
        var _ =
                written.addListener(
                        done -> {
                            if (!isReadToEnd) {
                                reset(Http2Error.NO_ERROR);
                            }
                        });
    }

    /** A part of the answer that cannot be written ends the stream: the client must not wait. */
    private void watch(ChannelFuture written) {
        var _ =
                written.addListener(
                        done -> {
                            if (!done.isSuccess()) {
                                LOG.debug("an answer is lost", done.cause());
                                reset(Http2Error.INTERNAL_ERROR);
                            }
                        });
    }

    private void reset(Http2Error error) {
        if (!isClosed) {
            var _ =
                    link.handler()
                            .resetStream(link.context(), stream.id(), error.code(), promise());
        }
    }

    private ChannelPromise promise() {
        return link.context().newPromise();
    }
}
