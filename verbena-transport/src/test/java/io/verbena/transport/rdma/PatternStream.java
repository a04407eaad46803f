// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** An endless sequence of bytes that both ends know, so that a misplaced byte is noticed. */
final class PatternStream {
    private final long seed;

    PatternStream(long seed) {
        this.seed = seed;
    }

    byte at(long position) {
        long word = (position >>> 3) * 0x9E3779B97F4A7C15L + seed;
        word ^= word >>> 29;
        word *= 0xBF58476D1CE4E5B9L;
        return (byte) (word >>> (position & 7) * 8);
    }

    byte[] slice(long from, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = at(from + i);
        }
        return bytes;
    }

    IOBuf buffer(BlockPool pool, long from, int length) {
        return pool.buffer().append(slice(from, length));
    }

    /** Compares what arrives with the sequence; waits for its end. */
    static class Checker implements RdmaEndpoint.Sink {
        private final PatternStream expected;
        private final long total;
        private final CompletableFuture<Void> complete = new CompletableFuture<>();
        private final CompletableFuture<TransportException> end = new CompletableFuture<>();
        private long position;

        Checker(PatternStream expected, long total) {
            this.expected = expected;
            this.total = total;
            if (total == 0) {
                complete.complete(null);
            }
        }

        @Override
        public void onOpen() {}

        @Override
        public void onData(IOBuf received) {
            check(received, received.size());
        }

        /** Checks and drops bytes from the front. */
        final void check(IOBuf received, long count) {
            byte[] bytes = new byte[(int) count];
            received.copyTo(0, bytes, 0, bytes.length);
            received.popFront(count);
            for (byte each : bytes) {
                if (each != expected.at(position)) {
                    complete.completeExceptionally(
                            new AssertionError("wrong byte at position " + position));
                    return;
                }
                position++;
            }
            if (position >= total) {
                complete.complete(null);
            }
        }

        @Override
        public void onClose(TransportException reason) {
            complete.completeExceptionally(reason);
            end.complete(reason);
        }

        /** What it is waiting for will not come. */
        void fail(Throwable cause) {
            complete.completeExceptionally(cause);
        }

        long position() {
            return position;
        }

        void awaitAll() throws Exception {
            complete.get(20, TimeUnit.SECONDS);
        }

        TransportException awaitEnd() throws Exception {
            return end.get(20, TimeUnit.SECONDS);
        }
    }
}
