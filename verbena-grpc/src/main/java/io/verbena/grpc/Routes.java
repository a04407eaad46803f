// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.handler.codec.http2.Http2Headers;
import io.netty.util.AsciiString;
import io.verbena.rpc.spi.ServerMethod;
import java.util.Optional;

/** Finds out what a request is for, and refuses what is for nothing. In the link's turn. */
final class Routes {
    private static final int NOT_ALLOWED = 405;
    private static final int UNSUPPORTED_MEDIA_TYPE = 415;

    private final InboundStreams owner;
    private final Builtins builtins;

    Routes(InboundStreams owner, Builtins builtins) {
        this.owner = owner;
        this.builtins = builtins;
    }

    /** {@return who gets the messages of a request, or null if it was refused} */
    Receiver route(ServerStream stream) {
        Http2Headers headers = stream.headers();
        if (!AsciiString.contentEquals(GrpcNames.POST, orEmpty(headers.method()))) {
            stream.refuse(NOT_ALLOWED, "method: " + headers.method() + " (expected: POST)");
            return null;
        }
        if (!GrpcNames.isGrpc(headers.get(GrpcNames.CONTENT_TYPE))) {
            stream.refuse(
                    UNSUPPORTED_MEDIA_TYPE,
                    "content-type: "
                            + headers.get(GrpcNames.CONTENT_TYPE)
                            + " (expected: application/grpc)");
            return null;
        }
        if (!isKnown(headers.get(GrpcNames.ENCODING))) {
            stream.fail(
                    GrpcStatus.UNIMPLEMENTED,
                    "grpc-encoding: "
                            + headers.get(GrpcNames.ENCODING)
                            + " (expected: gzip or identity)");
            return null;
        }
        int timeoutMs = timeoutMs(headers.get(GrpcNames.TIMEOUT));
        if (timeoutMs == GrpcTimeout.MALFORMED) {
            stream.fail(
                    GrpcStatus.INTERNAL,
                    "grpc-timeout: " + headers.get(GrpcNames.TIMEOUT) + " (expected: such as 10S)");
            return null;
        }
        return route(stream, orEmpty(headers.path()).toString(), timeoutMs);
    }

    private Receiver route(ServerStream stream, String path, int timeoutMs) {
        int slash = path.lastIndexOf('/');
        if (slash <= 1 || path.charAt(0) != '/') {
            stream.fail(
                    GrpcStatus.UNIMPLEMENTED,
                    "path: " + path + " (expected: /package.Service/Method)");
            return null;
        }
        String service = path.substring(1, slash);
        String name = path.substring(slash + 1);
        Receiver builtin = builtins.find(owner.connection(), stream, service, name);
        return builtin == null ? call(stream, service, name, timeoutMs) : builtin;
    }

    private Receiver call(ServerStream stream, String service, String name, int timeoutMs) {
        String refusal = owner.authenticate(orEmpty(stream.headers().get(GrpcNames.AUTHORIZATION)));
        if (!refusal.isEmpty()) {
            stream.fail(GrpcStatus.UNAUTHENTICATED, "Fail to authenticate: " + refusal);
            return null;
        }
        Optional<ServerMethod> method = owner.connection().server().findMethod(service, name);
        return new GrpcCall(stream, service, name, method.map(ServerMethod::descriptor), timeoutMs);
    }

    private static int timeoutMs(CharSequence text) {
        return text == null ? Integer.MAX_VALUE : GrpcTimeout.parseMs(text);
    }

    private static boolean isKnown(CharSequence encoding) {
        return encoding == null
                || AsciiString.contentEquals(GrpcNames.IDENTITY, encoding)
                || AsciiString.contentEquals(GrpcNames.GZIP, encoding);
    }

    private static CharSequence orEmpty(CharSequence text) {
        return text == null ? "" : text;
    }
}
