// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Many senders, and a receiver that stops. {@code -Dverbena.socket.pauseMs} sets how long. */
class ScaleTest {
    private static final int SENDERS = Integer.getInteger("verbena.socket.senders", 1000);
    private static final Logger LOG = LoggerFactory.getLogger(ScaleTest.class);
    private static final int EACH = 5;
    private static final long PAUSE_MS = Long.getLong("verbena.socket.pauseMs", 1500);

    private final Semaphore connecting = new Semaphore(8);

    @Test
    @Timeout(120)
    void shouldServeAThousandSenders() throws Exception {
        try (MessageQueueTest.Queue queue =
                new MessageQueueTest.Queue(
                        Stacks.NATIVE.withTimes(
                                Duration.ofNanos(20_000),
                                Duration.ofSeconds(60),
                                Duration.ofSeconds(30)),
                        GroupLimits.DEFAULT)) {
            List<Thread> threads = new ArrayList<>();
            AtomicInteger failures = new AtomicInteger();
            for (int node = 0; node < SENDERS; node++) {
                int id = node;
                threads.add(
                        Thread.ofVirtual()
                                .name("sender-" + id)
                                .start(() -> sendAndCount(queue, id, failures)));
            }

            int[] next = new int[SENDERS];
            for (int i = 0; i < SENDERS * EACH; i++) {
                Message message = queue.receiver.receive(Duration.ofSeconds(60)).orElseThrow();
                int number = ByteBuffer.wrap(message.bytes()).getInt();
                assertThat(number).isEqualTo(next[message.nodeId()]++);
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).hasValue(0);
            assertThat(next).containsOnly(EACH);
        }
    }

    /** Not all at once: a device that gets no CPU time for half a second gives up. */
    private MessageSender connect(MessageQueueTest.Queue queue, int id) throws IOException {
        connecting.acquireUninterruptibly();
        try {
            return queue.sender(id);
        } finally {
            connecting.release();
        }
    }

    private void sendAndCount(MessageQueueTest.Queue queue, int id, AtomicInteger failures) {
        try (MessageSender sender = connect(queue, id)) {
            for (int i = 0; i < EACH; i++) {
                sender.send(ByteBuffer.allocate(64).putInt(0, i));
            }
        } catch (IOException e) {
            LOG.warn("sender {}", id, e);
            failures.incrementAndGet();
        }
    }

    @Test
    @Timeout(120)
    void shouldKeepMemoryBoundedWhileReceiverRests() throws Exception {
        SocketOptions options = Stacks.NATIVE.withLimits(1 << 20, 1 << 20, 1 << 20);
        try (MessageQueueTest.Queue queue =
                        new MessageQueueTest.Queue(options, GroupLimits.DEFAULT);
                MessageSender small = queue.sender(1);
                MessageSender large = queue.sender(2)) {
            AtomicInteger sentSmall = new AtomicInteger();
            AtomicInteger sentLarge = new AtomicInteger();
            int smalls = 20_000;
            int larges = 100;
            Thread first = start(small, 100, smalls, sentSmall);
            Thread second = start(large, 100_000, larges, sentLarge);

            long end = System.nanoTime() + PAUSE_MS * 1_000_000;
            while (System.nanoTime() - end < 0) {
                // both sides: what waits for a user, and what waits for a peer
                assertThat(queue.receiving.sockets())
                        .allMatch(s -> s.endpoint().intake().unreadBytes() <= 1 << 20);
                LockSupport.parkNanos(1_000_000);
            }
            assertThat(sentSmall.get()).isLessThan(smalls);
            assertThat(sentLarge.get()).isLessThan(larges);
            assertThat(queue.receiving.memory().outstanding()).isLessThan(100);
            assertThat(queue.sending.memory().outstanding()).isLessThan(100);

            int[] next = new int[3];
            for (int i = 0; i < smalls + larges; i++) {
                Message message = queue.receiver.receive(Stacks.LONG).orElseThrow();
                int number = ByteBuffer.wrap(message.bytes()).getInt();
                assertThat(number).isEqualTo(next[message.nodeId()]++);
            }
            first.join();
            second.join();
        }
    }

    private static Thread start(MessageSender sender, int size, int count, AtomicInteger sent) {
        return Thread.ofVirtual()
                .name("sender-" + sender.nodeId())
                .start(
                        () -> {
                            try {
                                for (int i = 0; i < count; i++) {
                                    sender.send(ByteBuffer.allocate(size).putInt(0, i));
                                    sent.incrementAndGet();
                                }
                            } catch (IOException e) {
                                throw new AssertionError(e);
                            }
                        });
    }
}
