// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.ByteStream;
import io.verbena.rpc.ByteStreamHandler;
import io.verbena.rpc.ByteStreamOptions;
import io.verbena.rpc.Call;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;
import java.util.List;

/**
 * Accepts every stream that a call offers, and echoes its messages; {@code example.EchoService}.
 */
final class StreamEcho implements EchoService, ByteStreamHandler {
    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        while (call.offeredStreams() > 0) {
            call.acceptStream(ByteStreamOptions.DEFAULT.withHandler(this));
        }
        return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }

    @Override
    public void onMessages(ByteStream stream, List<IOBuf> messages) {
        messages.forEach(stream::write);
    }
}
