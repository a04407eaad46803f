// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2Headers;
import io.verbena.rpc.CompressType;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientView;
import java.nio.charset.StandardCharsets;

/** Makes the headers of a request. */
final class RequestHeaders {
    private RequestHeaders() {}

    /**
     * {@return the headers}
     *
     * @throws IllegalArgumentException if a field of the user cannot be a header
     */
    static Http2Headers of(ClientRequest request, ClientView channel) {
        Http2Headers headers = new DefaultHttp2Headers();
        headers.method(GrpcNames.POST);
        headers.scheme("http");
        headers.path(
                "/"
                        + request.method().getService().getFullName()
                        + "/"
                        + request.method().getName());
        headers.authority(request.server().getHostString() + ":" + request.server().getPort());
        headers.set(GrpcNames.TE, GrpcNames.TRAILERS);
        headers.set(GrpcNames.CONTENT_TYPE, GrpcNames.GRPC);
        headers.set(GrpcNames.USER_AGENT, "verbena");
        headers.set(GrpcNames.ACCEPT_ENCODING, GrpcNames.ACCEPTED);
        if (request.compressType() == CompressType.GZIP.code()) {
            headers.set(GrpcNames.ENCODING, GrpcNames.GZIP);
        } else if (request.compressType() != CompressType.NONE.code()) {
            throw new IllegalArgumentException(
                    "compress_type: " + request.compressType() + " (expected: none or gzip)");
        }
        if (request.timeoutMs() >= 0) {
            headers.set(GrpcNames.TIMEOUT, GrpcTimeout.format(request.timeoutMs()));
        }
        byte[] credential = channel.credential();
        if (credential.length > 0) {
            headers.set(
                    GrpcNames.AUTHORIZATION, new String(credential, StandardCharsets.ISO_8859_1));
        }
        Metadata.write(request.userFields(), headers);
        return headers;
    }
}
