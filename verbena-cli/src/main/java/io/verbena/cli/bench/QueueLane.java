// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.cli.ChildProcess;
import io.verbena.socket.MessageHandler;
import io.verbena.socket.MessageReceiver;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A receiver in this process and senders in another, which send as long as it takes. */
final class QueueLane implements StreamLane, MessageHandler {
    /** What may lie on the way when a run begins, in bytes: received before the clock starts. */
    private static final int BUFFERED = 256 << 10;

    private static final int BATCH = 1024;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final MessageReceiver receiver;
    private final ChildProcess senders;
    private final int bytes;

    QueueLane(SocketStack stack, String device, int bytes, int senderCount, PrintWriter err)
            throws IOException {
        this.bytes = bytes;
        this.receiver = MessageReceiver.bind(stack, SocketBenchCommand.anyPort());
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "bench",
                                "mq",
                                "--child",
                                "--port",
                                "" + receiver.localAddress().getPort(),
                                "--small-size",
                                "" + bytes,
                                "--senders",
                                "" + senderCount));
        if (!device.isEmpty()) {
            arguments.addAll(List.of("-d", device));
        }
        this.senders = ChildProcess.start("senders", arguments, err::println);
    }

    @Override
    public Measurement run(int count) {
        try {
            receive(Math.min(count, BUFFERED / bytes + 1));
            long start = System.nanoTime();
            receive(count);
            long elapsed = Math.max(1, System.nanoTime() - start);
            return new Measurement(new long[] {elapsed}, count, elapsed, 0);
        } catch (IOException e) {
            throw new BenchException("measuring a queue: " + e.getMessage(), e);
        }
    }

    private void receive(int count) throws IOException {
        for (int left = count; left > 0; ) {
            int received = receiver.poll(this, Math.min(left, BATCH), PATIENCE);
            if (received == 0) {
                throw new BenchException("nothing came within " + PATIENCE);
            }
            left -= received;
        }
    }

    @Override
    public void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int length) {
        if (length != bytes) {
            throw new BenchException("length: " + length + " (expected: " + bytes + ")");
        }
    }

    @Override
    public void close() {
        senders.close();
        receiver.close();
    }
}
