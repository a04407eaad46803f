// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.ContentType;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.spi.ServerCall;
import io.verbena.rpc.spi.ServerRequest;
import java.io.IOException;
import java.util.Optional;

/**
 * A call that arrived over HTTP. If the message has no fields, the body is the attachment, as in
 * brpc.
 */
final class HttpCall implements ServerRequest {
    private final HttpRequest request;
    private final String serviceName;
    private final String methodName;
    private final HttpExchange exchange;
    private final MessageCodec codec;
    private final BodyFormat format;
    private final long maxBodyBytes;
    private ServerCall call;

    HttpCall(
            HttpRequest request,
            String serviceName,
            String methodName,
            HttpExchange exchange,
            MessageCodec codec,
            long maxBodyBytes) {
        this.request = request;
        this.serviceName = serviceName;
        this.methodName = methodName;
        this.exchange = exchange;
        this.codec = codec;
        this.format = BodyFormat.of(header("content-type"));
        this.maxBodyBytes = maxBodyBytes;
    }

    private Optional<String> header(String name) {
        return request.head().headers().first(name);
    }

    @Override
    public String serviceName() {
        return serviceName;
    }

    @Override
    public String methodName() {
        return methodName;
    }

    @Override
    public int contentType() {
        return (format == BodyFormat.JSON ? ContentType.JSON : ContentType.PROTOBUF).code();
    }

    @Override
    public int compressType() {
        boolean isGzip =
                header("content-encoding").filter(BodyCoding.GZIP::equalsIgnoreCase).isPresent();
        return (isGzip ? CompressType.GZIP : CompressType.NONE).code();
    }

    @Override
    public void prepare(ServerCall prepared) {
        call = prepared;
        header("log-id").flatMap(HttpCall::number).ifPresent(prepared::setLogId);
        header("x-request-id").ifPresent(prepared::setRequestId);
    }

    private static Optional<Long> number(String text) {
        try {
            return Optional.of(Long.parseLong(text));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    @Override
    public Message decode(Message prototype) throws IOException {
        try (IOBuf body = decompressed()) {
            if (hasNoFields(prototype)) {
                body.cutInto(call.requestAttachment(), body.size());
                return prototype;
            }
            return codec.read(format, body, prototype);
        }
    }

    private IOBuf decompressed() throws IOException {
        return BodyCoding.decoded(header("content-encoding"), request.body(), maxBodyBytes);
    }

    private static boolean hasNoFields(Message message) {
        return message.getDescriptorForType().getFields().isEmpty();
    }

    @Override
    public void answer(ServerCall answered, Message response) {
        BlockPool pool = request.body().pool();
        request.body().close();
        if (answered.failed()) {
            fail(answered.errorCode(), text(answered), pool);
            return;
        }
        IOBuf body = pool.buffer();
        try {
            if (hasNoFields(response) && !answered.responseAttachment().isEmpty()) {
                body.append(answered.responseAttachment());
            } else {
                codec.write(format, response, body);
            }
        } catch (Throwable e) {
            // the response's own code may throw anything
            Faults.warn(HttpCall.class, "the response cannot be written", answered, e);
            body.close();
            fail(
                    RpcError.EINTERNAL.code(),
                    Faults.describe("the response cannot be written", e),
                    pool);
            return;
        }
        exchange.answer(HttpResponse.of(HttpStatus.OK, format.contentType(), body));
    }

    /** Without the names that the client asked for: answers repeat nothing of a request. */
    private static String text(ServerCall failed) {
        return RpcError.of(failed.errorCode())
                .map(
                        error ->
                                switch (error) {
                                    case ENOSERVICE -> "service: unknown; see /protobufs";
                                    case ENOMETHOD -> "method: unknown; see /protobufs";
                                    default -> failed.errorText();
                                })
                .orElseGet(failed::errorText);
    }

    private void fail(int code, String text, BlockPool pool) {
        HttpResponse failure;
        try {
            failure = HttpResponse.failure(code, text, pool);
        } catch (Throwable e) {
            Faults.warn(HttpCall.class, "no memory for an answer", request.head().target(), e);
            exchange.abandon();
            return;
        }
        exchange.answer(failure);
    }
}
