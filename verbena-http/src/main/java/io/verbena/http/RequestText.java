// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.Addresses;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.ClientRequest;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Writes request line and headers of a call. */
final class RequestText {
    /** What this side says itself. */
    private static final Set<String> OWN =
            Set.of(
                    "host",
                    "content-type",
                    "content-length",
                    "content-encoding",
                    "transfer-encoding",
                    "connection",
                    "authorization",
                    "expect");

    private RequestText() {}

    /**
     * Appends them.
     *
     * @param request the call; its user fields become headers
     * @param credential becomes {@code authorization}, unless it is empty
     * @param isGzip whether the body is compressed
     * @param bodyBytes the size of the body
     * @param target receives them
     * @throws RpcException if a user field cannot be a header
     */
    static void append(
            ClientRequest request,
            byte[] credential,
            boolean isGzip,
            long bodyBytes,
            IOBuf target) {
        StringBuilder text = new StringBuilder(256);
        text.append("POST /")
                .append(request.method().getService().getFullName())
                .append('/')
                .append(request.method().getName())
                .append(" HTTP/1.1\r\n");
        header(text, "Host", Addresses.text(request.server()));
        header(text, "Content-Type", BodyFormat.JSON.contentType());
        header(text, "Content-Length", Long.toString(bodyBytes));
        header(text, "Accept-Encoding", BodyCoding.GZIP);
        if (isGzip) {
            header(text, "Content-Encoding", BodyCoding.GZIP);
        }
        if (credential.length > 0) {
            String value = new String(credential, StandardCharsets.ISO_8859_1);
            header(text, "Authorization", checked("authorization", value));
        }
        for (Map.Entry<String, String> field : request.userFields().entrySet()) {
            String name = field.getKey();
            if (!HeadReader.isToken(name) || OWN.contains(name.toLowerCase(Locale.ROOT))) {
                throw new RpcException(
                        RpcError.EREQUEST, "user field: " + name + " (expected: a free header)");
            }
            header(text, name, checked(name, field.getValue()));
        }
        target.append(text.append("\r\n").toString().getBytes(StandardCharsets.ISO_8859_1));
    }

    private static void header(StringBuilder text, String name, String value) {
        text.append(name).append(": ").append(value).append("\r\n");
    }

    /** {@return the value, if no proxy or server can take it for anything else} */
    private static String checked(String name, String value) {
        if (!value.chars().allMatch(c -> c >= ' ' && c < 0x7f)) {
            throw new RpcException(
                    RpcError.EREQUEST, "value of " + name + ": (expected: printable ASCII)");
        }
        return value;
    }
}
