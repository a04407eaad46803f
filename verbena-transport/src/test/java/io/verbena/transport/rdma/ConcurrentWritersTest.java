// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPoolException;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Several threads write to one connection: each write stays whole, and each thread's in order. */
class ConcurrentWritersTest {
    private static final int WRITERS = 4;
    private static final int WRITES = 2_000;
    private static final int FRAME = 12;

    @Test
    void shouldKeepWritesWholeAndInTheirThreadsOrder() throws Exception {
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT);
                RdmaDevice b = Domains.open(DeviceUnderTest.RIGHT)) {
            RecordingSink right = new RecordingSink();
            EndpointPair pair = EndpointPair.open(a, b, new RecordingSink(), right);
            List<Thread> writers = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int writer = i;
                writers.add(
                        Thread.ofVirtual()
                                .name("writer-" + i)
                                .start(() -> writeFrames(pair, writer)));
            }
            for (Thread writer : writers) {
                writer.join();
            }

            ByteBuffer all = ByteBuffer.wrap(right.awaitBytes(total()));
            int[] next = new int[WRITERS];
            while (all.hasRemaining()) {
                int writer = all.getInt();
                int number = all.getInt();
                int length = all.getInt();
                assertThat(number).isEqualTo(next[writer]++);
                assertThat(length).isEqualTo(length(writer, number));
                all.position(all.position() + length);
            }
            assertThat(next).containsOnly(WRITES);
        }
    }

    private static int length(int writer, int number) {
        return (number * 37 + writer * 11) % 300;
    }

    private static int total() {
        int bytes = 0;
        for (int writer = 0; writer < WRITERS; writer++) {
            for (int number = 0; number < WRITES; number++) {
                bytes += FRAME + length(writer, number);
            }
        }
        return bytes;
    }

    private static void writeFrames(EndpointPair pair, int writer) {
        for (int number = 0; number < WRITES; number++) {
            int length = length(writer, number);
            ByteBuffer frame = ByteBuffer.allocate(FRAME + length);
            frame.putInt(writer).putInt(number).putInt(length);
            IOBuf data = pair.leftBytes(frame.array());
            pair.left.write(data);
        }
    }

    @Test
    void shouldEitherTakeAWriteOrLeaveItWithItsWriterWhileClosing() throws Exception {
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT);
                RdmaDevice b = Domains.open(DeviceUnderTest.RIGHT)) {
            for (int round = 0; round < 20; round++) {
                RecordingSink left = new RecordingSink();
                EndpointPair pair = EndpointPair.open(a, b, left, new RecordingSink());
                AtomicInteger refused = new AtomicInteger();
                List<Thread> writers = new ArrayList<>();
                for (int i = 0; i < WRITERS; i++) {
                    writers.add(
                            Thread.ofPlatform()
                                    .name("writer-" + i)
                                    .start(() -> writeUntilRefused(pair, refused)));
                }
                left.awaitOpen();
                pair.left.abort(EndpointPair.bye());
                left.awaitEnd();
                for (Thread writer : writers) {
                    writer.join();
                }
                pair.right.abort(EndpointPair.bye());

                assertThat(refused).hasValue(WRITERS);
                Domains.awaitBlocks(a);
            }
        }
    }

    private static void writeUntilRefused(EndpointPair pair, AtomicInteger refused) {
        while (true) {
            IOBuf data = pair.leftDomain.pool().buffer();
            try {
                pair.left.write(data.append(new byte[100]));
            } catch (BlockPoolException e) {
                // each write takes a block: writers that are faster than the dispatcher take all
                // blocks
                Thread.yield();
            } catch (TransportException e) {
                boolean isMine = data.size() == 100;
                data.close();
                if (e.error() == TransportError.ECLOSE) {
                    refused.addAndGet(isMine ? 1 : 0);
                    return;
                }
            }
        }
    }
}
