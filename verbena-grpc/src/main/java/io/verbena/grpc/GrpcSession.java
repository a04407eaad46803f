// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerProtocol.Outcome;
import java.util.Arrays;

/**
 * HTTP/2 on one connection: recognized by its preface, and from then on the connection's only
 * protocol.
 */
final class GrpcSession implements ServerProtocol.Parser {
    private static final byte[] PREFACE =
            ByteBufUtil.getBytes(Http2CodecUtil.connectionPrefaceBuf());

    private final ServerConnection connection;
    private final GrpcProtocol protocol;

    /** Null until the preface has arrived. */
    private Http2Link link;

    GrpcSession(ServerConnection connection, GrpcProtocol protocol) {
        this.connection = connection;
        this.protocol = protocol;
    }

    @Override
    public Outcome consume(IOBuf received) {
        if (link == null) {
            byte[] front = new byte[(int) Math.min(received.size(), PREFACE.length)];
            received.copyTo(0, front, 0, front.length);
            if (!Arrays.equals(PREFACE, 0, front.length, front, 0, front.length)) {
                return Outcome.NOT_MINE;
            }
            if (front.length < PREFACE.length) {
                return Outcome.NEED_MORE;
            }
            link = protocol.open(connection);
        }
        link.read(received);
        return Outcome.CONSUMED;
    }

    @Override
    public void onClose() {
        if (link != null) {
            protocol.forget(link);
            link.onClose();
        }
    }
}
