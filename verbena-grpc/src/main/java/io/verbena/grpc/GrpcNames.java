// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.util.AsciiString;

/** Names and values of headers. */
final class GrpcNames {
    static final AsciiString CONTENT_TYPE = AsciiString.cached("content-type");
    static final AsciiString GRPC = AsciiString.cached("application/grpc");
    static final AsciiString GRPC_PROTO = AsciiString.cached("application/grpc+proto");
    static final AsciiString TE = AsciiString.cached("te");
    static final AsciiString TRAILERS = AsciiString.cached("trailers");
    static final AsciiString TIMEOUT = AsciiString.cached("grpc-timeout");
    static final AsciiString ENCODING = AsciiString.cached("grpc-encoding");
    static final AsciiString ACCEPT_ENCODING = AsciiString.cached("grpc-accept-encoding");
    static final AsciiString STATUS = AsciiString.cached("grpc-status");
    static final AsciiString MESSAGE = AsciiString.cached("grpc-message");
    static final AsciiString AUTHORIZATION = AsciiString.cached("authorization");
    static final AsciiString USER_AGENT = AsciiString.cached("user-agent");
    static final AsciiString IDENTITY = AsciiString.cached("identity");
    static final AsciiString GZIP = AsciiString.cached("gzip");
    static final AsciiString ACCEPTED = AsciiString.cached("identity,gzip");
    static final AsciiString POST = AsciiString.cached("POST");

    /** brpc's own code of a failure, as in its HTTP answers; a status stands for several. */
    static final AsciiString ERROR_CODE = AsciiString.cached("x-bd-error-code");

    /** Texts that appear in the logs of both sides, named as in HTTP. */
    static final AsciiString REQUEST_ID = AsciiString.cached("x-request-id");

    static final AsciiString LOG_ID = AsciiString.cached("log-id");

    private GrpcNames() {}

    /** {@return whether a content type is gRPC's with protobuf messages} */
    static boolean isGrpc(CharSequence contentType) {
        if (contentType == null) {
            return false;
        }
        String type = contentType.toString();
        int end = type.indexOf(';');
        String bare = end < 0 ? type : type.substring(0, end);
        return GRPC.contentEquals(bare) || GRPC_PROTO.contentEquals(bare);
    }
}
