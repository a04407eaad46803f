// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerRequest;
import io.verbena.rpc.spi.ServerStreamRequest;
import io.verbena.rpc.spi.ServerStreams;
import java.io.IOException;

/** A call that arrived over a protocol of the SPI, that is, not over {@code baidu_std}. */
final class ProtocolCall extends IncomingCall {
    private final ServerRequest request;

    ProtocolCall(ServerSession session, ServerRequest request) {
        super(session, System.nanoTime());
        this.request = request;
        received(
                CompressType.of(request.compressType()),
                false,
                ContentType.isKnown(request.contentType())
                        ? ContentType.of(request.contentType())
                        : ContentType.PROTOBUF);
    }

    @Override
    long waitingBytes() {
        return request.waitingBytes();
    }

    @Override
    Message decode(Message prototype) throws IOException {
        return request.decode(prototype);
    }

    @Override
    ServerStreams streams() {
        if (request instanceof ServerStreamRequest streams) {
            return streams;
        }
        throw new RpcException(RpcError.EREQUEST, STREAMS_EXPECTED);
    }

    @Override
    void answer(Message response) {
        request.answer(this, response);
    }
}
