// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.ByteStream;
import io.verbena.rpc.ByteStreamOptions;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ClientCall;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.ToolException;
import io.verbena.tools.proto.EchoRequest;
import io.verbena.tools.proto.EchoServiceClient;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.Locale;
import java.util.Random;

/** Sends messages over one stream and checks what comes back, while it goes on sending. */
final class CheckedStream {
    private final PrintWriter out;
    private final RpcNode node;
    private final Channel channel;
    private final byte[] content;

    CheckedStream(PrintWriter out, RpcNode node, Channel channel, int size) {
        this.out = out;
        this.node = node;
        this.channel = channel;
        this.content = new byte[size];
        new Random(size).nextBytes(content);
    }

    void run(long count, boolean isEchoed) throws InterruptedException {
        try (ClientCall call = channel.newCall();
                ByteStream stream = call.createStream(ByteStreamOptions.DEFAULT)) {
            new EchoServiceClient(channel)
                    .echo(EchoRequest.newBuilder().setMessage("stream").build(), call);
            long startNs = System.nanoTime();
            Thread writer =
                    Thread.ofVirtual()
                            .name("verbena-stream-writer")
                            .start(() -> write(stream, count));
            if (isEchoed) {
                read(stream, count);
            }
            writer.join();
            report(count, System.nanoTime() - startNs);
        } catch (RpcException e) {
            throw new ToolException("the stream failed: " + e.getMessage(), e);
        }
    }

    private void write(ByteStream stream, long count) {
        try {
            for (long i = 0; i < count; i++) {
                stream.write(node.pool().buffer().append(content));
            }
        } catch (RpcException e) {
            stream.close(); // the reader hears of it, and says why
        }
    }

    private void read(ByteStream stream, long count) {
        try (IOBuf message = node.pool().buffer()) {
            for (long i = 1; i <= count; i++) {
                if (!stream.read(message)) {
                    throw new ToolException(
                            "the stream ended after "
                                    + (i - 1)
                                    + " of "
                                    + count
                                    + " messages (expected: all)");
                }
                if (!Arrays.equals(message.toByteArray(), content)) {
                    throw new ToolException(
                            "message " + i + " came back different (expected: as it was sent)");
                }
                message.clear();
            }
        }
    }

    private void report(long count, long elapsedNs) {
        double seconds = Math.max(1, elapsedNs) / 1e9;
        out.printf(
                Locale.ROOT,
                "%d messages of %d B in %.3f s: %.0f messages/s, %.1f MB/s%n",
                count,
                content.length,
                seconds,
                count / seconds,
                count * (double) content.length / seconds / 1e6);
    }
}
