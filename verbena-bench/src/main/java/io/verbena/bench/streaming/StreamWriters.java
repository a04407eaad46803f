// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.streaming;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.ByteStream;
import io.verbena.rpc.ByteStreamOptions;
import io.verbena.rpc.Call;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoResponse;
import io.verbena.tools.proto.EchoService;

/**
 * Accepts every stream that a call offers, and writes messages to each until it ends. The call says
 * how long they are.
 */
final class StreamWriters implements EchoService {
    private final RpcNode node;

    StreamWriters(RpcNode node) {
        this.node = node;
    }

    @Override
    public EchoResponse echo(Call call, EchoRequest request) {
        int bytes = Integer.parseInt(request.getMessage());
        while (call.offeredStreams() > 0) {
            ByteStream stream = call.acceptStream(ByteStreamOptions.DEFAULT);
            Thread.ofVirtual().name("bench-stream-writer").start(() -> write(stream, bytes));
        }
        return EchoResponse.newBuilder().setMessage(request.getMessage()).build();
    }

    /** All messages share the same memory, as those of send_bw do. */
    private void write(ByteStream stream, int bytes) {
        try (IOBuf content = node.pool().buffer().append(new byte[bytes]);
                IOBuf message = node.pool().buffer()) {
            while (true) {
                stream.write(message.append(content));
            }
        } catch (RpcException e) {
            stream.close(); // the reader has enough
        }
    }
}
