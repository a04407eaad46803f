// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.rpc.RpcError;

/** The statuses that this server answers with. */
enum HttpStatus {
    CONTINUE(100, "Continue"),
    OK(200, "OK"),
    BAD_REQUEST(400, "Bad Request"),
    UNAUTHORIZED(401, "Unauthorized"),
    FORBIDDEN(403, "Forbidden"),
    NOT_FOUND(404, "Not Found"),
    METHOD_NOT_ALLOWED(405, "Method Not Allowed"),
    REQUEST_TIMEOUT(408, "Request Timeout"),
    CONTENT_TOO_LARGE(413, "Content Too Large"),
    URI_TOO_LONG(414, "URI Too Long"),
    UNSUPPORTED_MEDIA_TYPE(415, "Unsupported Media Type"),
    EXPECTATION_FAILED(417, "Expectation Failed"),
    HEADER_FIELDS_TOO_LARGE(431, "Request Header Fields Too Large"),
    INTERNAL_SERVER_ERROR(500, "Internal Server Error"),
    NOT_IMPLEMENTED(501, "Not Implemented"),
    SERVICE_UNAVAILABLE(503, "Service Unavailable"),
    GATEWAY_TIMEOUT(504, "Gateway Timeout"),
    VERSION_NOT_SUPPORTED(505, "HTTP Version Not Supported");

    private static final int EPERM = 1;

    private final int code;
    private final String reason;

    HttpStatus(int code, String reason) {
        this.code = code;
        this.reason = reason;
    }

    int code() {
        return code;
    }

    String reason() {
        return reason;
    }

    /** {@return the answer to a call that failed; brpc's table, with EOVERCROWDED added} */
    static HttpStatus of(int errorCode) {
        return errorCode == EPERM
                ? FORBIDDEN
                : RpcError.of(errorCode).map(HttpStatus::of).orElse(INTERNAL_SERVER_ERROR);
    }

    private static HttpStatus of(RpcError error) {
        return switch (error) {
            case ENOSERVICE, ENOMETHOD -> NOT_FOUND;
            case ERPCAUTH -> UNAUTHORIZED;
            case EREQUEST, EINVAL -> BAD_REQUEST;
            case ELIMIT, ELOGOFF, EOVERCROWDED -> SERVICE_UNAVAILABLE;
            case ERPCTIMEDOUT, ETIMEDOUT -> GATEWAY_TIMEOUT;
            default -> INTERNAL_SERVER_ERROR;
        };
    }
}
