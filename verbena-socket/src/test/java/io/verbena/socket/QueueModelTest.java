// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The queue against a model, with senders that are killed at random points: what arrives from a
 * sender is a prefix of what it sent, all of it if it closed normally; nothing comes twice; groups
 * are contiguous, and complete unless their sender was killed.
 *
 * <p>{@code -Dverbena.socket.runs=N} repeats with other seeds.
 */
class QueueModelTest {
    private static final int SENDERS = 12;
    private static final int MESSAGES = 150;
    private static final int HEADER = 12;
    private static final int[] SIZES = {HEADER, 64, 500, 4000, 4088, 4089, 9000, 70_000};

    /** What a sender did, as far as it knows. */
    private static final class Deeds {
        volatile int sent;
        volatile boolean isClosedInOrder;
    }

    private final Map<Integer, Deeds> records = new ConcurrentHashMap<>();
    private final Queue<IOException> failures = new ConcurrentLinkedQueue<>();

    @ParameterizedTest
    @CsvSource({"NATIVE,1", "NATIVE,2", "SEED,3"})
    void shouldAgreeWithModel(Compatibility protocol, long seed) throws Exception {
        for (int run = 0; run < Integer.getInteger("verbena.socket.runs", 1); run++) {
            records.clear();
            check(protocol, seed + 100L * run);
        }
    }

    private void check(Compatibility protocol, long seed) throws Exception {
        try (MessageQueueTest.Queue queue = new MessageQueueTest.Queue(protocol)) {
            List<Thread> threads = new ArrayList<>();
            for (int node = 0; node < SENDERS; node++) {
                int id = node;
                records.put(id, new Deeds());
                threads.add(
                        Thread.ofVirtual()
                                .name("sender-" + id)
                                .start(() -> send(queue, id, new Random(seed * 1000 + id))));
            }
            Map<Integer, Integer> received = receive(queue, threads);
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).isEmpty();
            records.forEach((id, record) -> checkCount(seed, id, record, received));
        }
    }

    private static void checkCount(
            long seed, int id, Deeds record, Map<Integer, Integer> received) {
        int count = received.getOrDefault(id, 0);
        if (record.isClosedInOrder) {
            assertThat(count).as("messages of %d, seed %d", id, seed).isEqualTo(record.sent);
        } else {
            assertThat(count).as("messages of %d, seed %d", id, seed).isBetween(0, record.sent);
        }
    }

    /**
     * Every message contains its number, whether it ends a group, and bytes that depend on both.
     */
    private void send(MessageQueueTest.Queue queue, int id, Random random) {
        Deeds record = records.get(id);
        int killAt = random.nextInt(3) == 0 ? random.nextInt(MESSAGES) : Integer.MAX_VALUE;
        try {
            MessageSender sender = queue.sender(id);
            for (int i = 0; i < MESSAGES; i++) {
                if (i == killAt) {
                    sender.socket().abort();
                    return;
                }
                boolean isLast = random.nextInt(3) > 0 || i == MESSAGES - 1;
                ByteBuffer message = message(i, isLast, SIZES[random.nextInt(SIZES.length)]);
                // counted first: the receiver may have it before this thread continues
                record.sent = i + 1;
                if (isLast) {
                    sender.send(message);
                } else {
                    sender.sendMore(message);
                }
            }
            sender.close();
            record.isClosedInOrder = true;
        } catch (IOException e) {
            failures.add(e);
        }
    }

    private static ByteBuffer message(int number, boolean isLast, int size) {
        ByteBuffer message = ByteBuffer.allocate(size);
        message.putInt(number).putInt(isLast ? 1 : 0).putInt(size);
        while (message.hasRemaining()) {
            message.put((byte) (number + message.position()));
        }
        return message.flip();
    }

    private Map<Integer, Integer> receive(MessageQueueTest.Queue queue, List<Thread> threads)
            throws IOException {
        Map<Integer, Integer> next = new HashMap<>();
        int inGroupOf = -1;
        while (true) {
            var message = queue.receiver.receive(java.time.Duration.ofMillis(100));
            if (message.isEmpty()) {
                if (threads.stream().noneMatch(Thread::isAlive) && queue.receiver.senders() == 0) {
                    return next;
                }
                continue;
            }
            Message got = message.get();
            ByteBuffer bytes = ByteBuffer.wrap(got.bytes());
            int number = bytes.getInt();
            boolean isLast = bytes.getInt() == 1;
            assertThat(number).isEqualTo(next.getOrDefault(got.nodeId(), 0));
            assertThat(bytes.getInt()).isEqualTo(got.bytes().length);
            assertThat(got.hasMore()).isEqualTo(!isLast);
            while (bytes.hasRemaining()) {
                int at = bytes.position();
                if (bytes.get() != (byte) (number + at)) {
                    throw new AssertionError("byte " + at + " of message " + number);
                }
            }
            if (inGroupOf >= 0 && got.nodeId() != inGroupOf) {
                // only a sender that was killed leaves a group open
                assertThat(records.get(inGroupOf).isClosedInOrder).isFalse();
            }
            inGroupOf = isLast ? -1 : got.nodeId();
            next.merge(got.nodeId(), 1, Integer::sum);
        }
    }
}
