// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.ByteStream;
import io.verbena.rpc.ByteStreamHandler;
import io.verbena.rpc.ByteStreamOptions;
import io.verbena.rpc.Call;
import io.verbena.rpc.RpcException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import java.util.List;

/**
 * Accepts every stream that a call offers, and echoes its messages; {@code example.EchoService}.
 */
final class StreamEcho implements EchoService, ByteStreamHandler {
    /** Linux's EBADF: the peer has no handler for messages. */
    private static final int PEER_DOES_NOT_READ = 9;

    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        while (call.offeredStreams() > 0) {
            call.acceptStream(ByteStreamOptions.DEFAULT.withHandler(this));
        }
        return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }

    @Override
    public void onMessages(ByteStream stream, List<IOBuf> messages) {
        messages.forEach(message -> echo(stream, message));
    }

    private static void echo(ByteStream stream, IOBuf message) {
        try {
            stream.write(message);
        } catch (RpcException e) {
            // the client of brpc's example writes only; what it sends is read all the same
            if (e.code() != PEER_DOES_NOT_READ) {
                throw e;
            }
        }
    }
}
