// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.handler.codec.http2.Http2Headers;
import java.util.Optional;

/** Reads the outcome of a call from the headers and trailers of its answer. */
final class ResponseStatus {
    private static final int HTTP_OK = 200;
    private static final int NONE = -1;

    private ResponseStatus() {}

    /** {@return why headers do not begin an answer of gRPC} */
    static Optional<String> refusal(Http2Headers headers) {
        int status = httpStatus(headers);
        if (status != HTTP_OK) {
            return Optional.of("HTTP status: " + status + " (expected: 200)");
        }
        return GrpcNames.isGrpc(headers.get(GrpcNames.CONTENT_TYPE))
                ? Optional.empty()
                : Optional.of(
                        "content-type: "
                                + headers.get(GrpcNames.CONTENT_TYPE)
                                + " (expected: application/grpc)");
    }

    private static int httpStatus(Http2Headers headers) {
        return headers.getInt(":status", NONE);
    }

    /** {@return the status that an HTTP status stands for} */
    static GrpcStatus ofHttp(Http2Headers headers) {
        return GrpcStatus.ofHttp(httpStatus(headers));
    }

    /** {@return brpc's code} It is the server's own, if that fits its status. */
    static int errorCode(Http2Headers trailers) {
        int code = trailers.getInt(GrpcNames.STATUS, NONE);
        GrpcStatus status = code == NONE ? ofHttp(trailers) : GrpcStatus.of(code);
        int exact = trailers.getInt(GrpcNames.ERROR_CODE, 0);
        return exact != 0 && GrpcStatus.ofError(exact) == status ? exact : status.errorCode();
    }

    /** {@return what went wrong} */
    static String text(Http2Headers trailers) {
        CharSequence message = trailers.get(GrpcNames.MESSAGE);
        if (message != null) {
            return PercentText.decode(message.toString());
        }
        int code = trailers.getInt(GrpcNames.STATUS, NONE);
        if (code == GrpcStatus.OK.code()) {
            return "";
        }
        return code == NONE
                ? "an answer without grpc-status, HTTP status " + httpStatus(trailers)
                : "grpc-status: " + code + " " + GrpcStatus.of(code);
    }
}
