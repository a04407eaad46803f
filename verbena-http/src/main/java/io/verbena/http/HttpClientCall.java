// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.Connection;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.zip.GZIPOutputStream;

/** A call over HTTP: a POST with the request as JSON, as brpc's clients send it. Any thread. */
final class HttpClientCall implements ClientStream, MessageSource, MessageSink {
    private static final String ERROR_CODE = "x-bd-error-code";
    private static final int MOST_TEXT = 1024;

    private final ClientRequest request;
    private final StreamEvents events;
    private final ClientView channel;
    private final MessageCodec codec;
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<HttpAnswer> answer = new AtomicReference<>();
    private volatile Map<String, String> fields = Map.of();

    /** Null until there is a connection. */
    private volatile HttpClientLink link;

    HttpClientCall(
            ClientRequest request, StreamEvents events, ClientView channel, MessageCodec codec) {
        this.request = request;
        this.events = events;
        this.channel = channel;
        this.codec = codec;
    }

    /** Sends it. */
    void start(Supplier<HttpClientLink> links) throws IOException {
        if (request.request().isEmpty() || request.method().isServerStreaming()) {
            throw new RpcException(
                    RpcError.EREQUEST, "protocol: http (expected: one that carries streams)");
        }
        BlockPool pool = channel.transport().pool();
        try (IOBuf body = pool.buffer();
                IOBuf bytes = pool.buffer()) {
            boolean isGzip = request.compressType() == CompressType.GZIP.code();
            encode(request.request().get(), isGzip, body);
            RequestText.append(request, channel.credential(), isGzip, body.size(), bytes);
            body.cutInto(bytes, body.size());
            HttpClientLink chosen = links.get();
            link = chosen;
            chosen.begin(this, bytes);
        }
    }

    /** A message without fields has no body: brpc's servers take that for an attachment. */
    private void encode(Message message, boolean isGzip, IOBuf target) throws IOException {
        if (message.getDescriptorForType().getFields().isEmpty()) {
            return;
        }
        if (!isGzip) {
            codec.write(BodyFormat.JSON, message, target);
            return;
        }
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (OutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(codec.writeJson(message).getBytes(StandardCharsets.UTF_8));
        }
        target.append(packed.toByteArray());
    }

    /** Reports the outcome, if there is none yet. */
    void over(int code, String text) {
        // before it is claimed: nobody else would report it if there were no memory for the text
        String shown = code == 0 || text.startsWith("[E") ? text : "[E" + code + "]" + text;
        if (isOver.compareAndSet(false, true)) {
            events.onOver(code, shown);
        }
    }

    /** The response has arrived. The connection's thread. */
    void onAnswer(HttpAnswer arrived) {
        boolean isTaken = false;
        try {
            // before it is claimed: there may be no memory for them
            fields = arrived.head().headers().joined();
            if (arrived.head().isSuccess()) {
                isTaken = isOver.compareAndSet(false, true);
            } else {
                over(errorCode(arrived.head()), text(arrived.head(), arrived.body()));
            }
        } catch (Throwable e) {
            over(RpcError.EINTERNAL.code(), Faults.describe("the response is lost", e));
        }
        if (isTaken) {
            answer.set(arrived);
            events.onOver(0, "");
        } else {
            arrived.body().close();
        }
    }

    /** {@return brpc's code, if the server says it} */
    private static int errorCode(ResponseHead head) {
        try {
            int code = head.headers().first(ERROR_CODE).map(Integer::parseInt).orElse(0);
            return code == 0 ? RpcError.EHTTP.code() : code;
        } catch (NumberFormatException e) {
            return RpcError.EHTTP.code();
        }
    }

    /** {@return the text of a failed call: the server's own words, if it speaks as brpc does} */
    private static String text(ResponseHead head, IOBuf body) {
        try (IOBuf shown = body.pool().buffer()) {
            body.cutInto(shown, Math.min(body.size(), MOST_TEXT));
            String text = shown.toText().strip();
            if (head.headers().first(ERROR_CODE).isPresent()) {
                return text;
            }
            return text.isEmpty() ? head.line() : head.line() + ": " + text;
        }
    }

    @Override
    @SuppressWarnings("unchecked") // a codec creates the class of its prototype
    public <M extends Message> M poll(M prototype) {
        HttpAnswer arrived = answer.getAndSet(null);
        if (arrived == null) {
            return null;
        }
        try (IOBuf body = arrived.body()) {
            if (prototype.getDescriptorForType().getFields().isEmpty()) {
                return prototype;
            }
            HttpHeaders headers = arrived.head().headers();
            BodyFormat format = BodyFormat.of(headers.first("content-type"));
            try (IOBuf plain =
                    BodyCoding.decoded(
                            headers.first("content-encoding"), body, channel.maxBodyBytes())) {
                return (M) codec.read(format, plain, prototype);
            }
        } catch (IOException e) {
            throw new RpcException(
                    RpcError.ERESPONSE, "the response cannot be parsed: " + e.getMessage());
        }
    }

    @Override
    public boolean isEnded() {
        return isOver.get();
    }

    @Override
    public boolean tryWrite(Message message) {
        return false;
    }

    /** Releases a response that nobody has polled. */
    @Override
    public void close() {
        HttpAnswer left = answer.getAndSet(null);
        if (left != null) {
            left.body().close();
        }
    }

    @Override
    public MessageSink requests() {
        return this;
    }

    @Override
    public MessageSource responses() {
        return this;
    }

    @Override
    public Map<String, String> responseUserFields() {
        return fields;
    }

    @Override
    public Optional<Connection> connection() {
        return Optional.ofNullable(link).map(HttpClientLink::connection);
    }

    @Override
    public void cancel(int code) {
        isOver.set(true);
        HttpClientLink used = link;
        if (used != null) {
            used.cancel(this);
        }
        close();
    }
}
