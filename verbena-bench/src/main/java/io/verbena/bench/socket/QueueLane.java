// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.bench.measure.BenchOptions;
import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.socket.MessageHandler;
import io.verbena.socket.MessageReceiver;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ChildProcess;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/** A receiver in this process and senders in another, which send until it closes. */
final class QueueLane implements Lane, MessageHandler {
    /**
     * How many bytes may be in flight when a run begins; they are received before the clock starts.
     */
    private static final int BUFFERED = 256 << 10;

    private static final int BATCH = 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MessageReceiver receiver;
    private final ChildProcess senders;
    private final int bytes;

    QueueLane(SocketStack stack, BenchOptions options, int bytes, int senderCount)
            throws IOException {
        this.bytes = bytes;
        this.receiver = MessageReceiver.bind(stack, SocketBenchCommand.anyPort());
        List<String> arguments =
                List.of(
                        "--port",
                        "" + receiver.localAddress().getPort(),
                        "--small-size",
                        "" + bytes,
                        "--senders",
                        "" + senderCount);
        this.senders =
                ChildProcess.start(
                        "senders", options.childCommand("mq", arguments), options.err()::println);
    }

    @Override
    public Measurement run(int count) {
        try {
            receive(Math.min(count, BUFFERED / bytes + 1));
            long start = System.nanoTime();
            receive(count);
            return Measurement.ofWhole(count, System.nanoTime() - start);
        } catch (IOException e) {
            throw new ToolException("measuring a queue: " + e.getMessage(), e);
        }
    }

    private void receive(int count) throws IOException {
        for (int left = count; left > 0; ) {
            int received = receiver.poll(this, Math.min(left, BATCH), PATIENCE);
            if (received == 0) {
                throw new ToolException("nothing received within " + PATIENCE);
            }
            left -= received;
        }
    }

    @Override
    public void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int length) {
        if (length != bytes) {
            throw new ToolException("length: " + length + " (expected: " + bytes + ")");
        }
    }

    @Override
    public void close() {
        senders.close();
        receiver.close();
    }
}
