// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.testing.FullHeap;
import io.verbena.transport.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Two endpoints in a process of its own, whose heap is full when the handler of one of them fails,
 * which is the first failure. Prints whether that endpoint ends.
 */
final class FullHeapProgram {
    /** How its answer begins; other lines are of threads that have found no memory. */
    static final String ANSWER = "answer: ";

    static final String ENDED = "it has ended";

    private static final long PATIENCE_S = 10;
    private static final long FULL_NS = TimeUnit.SECONDS.toNanos(1);

    private FullHeapProgram() {}

    /** Receives while the heap becomes full, and fails when it is. */
    private static final class Failing implements RdmaEndpoint.Sink {
        private final CompletableFuture<TransportException> end = new CompletableFuture<>();
        private final Error fault = new AssertionError("the handler fails");
        private volatile boolean isReceiving;
        private volatile boolean isFull;

        @Override
        public void onOpen() {}

        @Override
        public void onData(IOBuf received) {
            isReceiving = true;
            while (!isFull) {
                Thread.onSpinWait();
            }
            throw fault;
        }

        @Override
        public void onClose(TransportException reason) {
            end.complete(reason);
        }

        private void failWithoutMemory() {
            isFull = true;
            long endNs = System.nanoTime() + FULL_NS;
            while (System.nanoTime() - endNs < 0) {
                FullHeap.fill();
            }
        }
    }

    static void main(String[] arguments) throws Exception {
        try (RdmaDevice left = Domains.open("soft0");
                RdmaDevice right = Domains.open("soft1")) {
            Failing sink = new Failing();
            try (EndpointPair pair = EndpointPair.open(left, right, new RecordingSink(), sink)) {
                pair.left.write(pair.leftBytes(new byte[] {1}));
                while (!sink.isReceiving) {
                    Thread.onSpinWait();
                }

                var _ = FullHeap.run(sink::failWithoutMemory);

                System.out.println(ANSWER + outcome(sink));
            }
        }
    }

    private static String outcome(Failing sink) throws Exception {
        try {
            var _ = sink.end.get(PATIENCE_S, TimeUnit.SECONDS);
            return ENDED;
        } catch (TimeoutException e) {
            return "it has not ended";
        }
    }
}
