// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.streaming;

import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.ByteStream;
import io.verbena.rpc.ByteStreamHandler;
import io.verbena.rpc.ByteStreamOptions;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import io.verbena.transport.SocketMode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** Reads what a server writes to streams: one by this thread, or many by a handler. */
final class StreamLane implements Lane, ByteStreamHandler {
    private static final int TIMEOUT_MS = 20_000;
    private static final long PAUSE_NS = 100_000;
    private static final int MOST_PER_CALL = 100;

    private final Channel channel;
    private final IOBuf message;
    private final List<ByteStream> streams = new ArrayList<>();
    private final LongAdder received = new LongAdder();
    private final int bytes;

    StreamLane(RpcNode node, int port, int bytes, int count) {
        this.bytes = bytes;
        this.message = node.pool().buffer();
        this.channel =
                Channel.open(
                        node,
                        "127.0.0.1:" + port,
                        ChannelOptions.DEFAULT
                                .withSocketMode(SocketMode.RDMA)
                                .withTimeoutMs(TIMEOUT_MS)
                                .withConnectTimeoutMs(TIMEOUT_MS));
        ByteStreamOptions options =
                count == 1
                        ? ByteStreamOptions.DEFAULT
                        : ByteStreamOptions.DEFAULT.withHandler(this);
        while (streams.size() < count) {
            open(Math.min(MOST_PER_CALL, count - streams.size()), options);
        }
    }

    private void open(int count, ByteStreamOptions options) {
        try (ClientCall call = channel.newCall()) {
            for (int i = 0; i < count; i++) {
                streams.add(call.createStream(options));
            }
            new EchoServiceClient(channel)
                    .echo(EchoRequest.newBuilder().setMessage("" + bytes).build(), call);
        }
    }

    @Override
    public Measurement run(int count) {
        long start = System.nanoTime();
        if (streams.size() == 1) {
            read(count);
        } else {
            await(received.sum() + count);
        }
        return Measurement.ofWhole(count, System.nanoTime() - start);
    }

    private void read(int count) {
        ByteStream stream = streams.getFirst();
        for (int i = 0; i < count; i++) {
            if (!stream.read(message) || message.size() != bytes) {
                throw new ToolException(
                        "read " + message.size() + " bytes (expected: " + bytes + ")");
            }
            message.clear();
        }
    }

    private void await(long total) {
        while (received.sum() < total) {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }

    @Override
    public void onMessages(ByteStream stream, List<IOBuf> messages) {
        received.add(messages.size());
    }

    @Override
    public void close() {
        streams.forEach(ByteStream::close);
        channel.close();
    }
}
