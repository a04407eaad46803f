// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Very many messages. */
public abstract class StreamConformance extends ConformanceTest {
    private static final int DEPTH = 128;
    private static final int SLOT = 64;
    private static final int SIGNAL_EVERY = 32;
    private static final int RNR_TIMER_10_US = 1;

    @ParameterizedTest
    @EnumSource(MemoryKind.class)
    void shouldStreamOneWay(MemoryKind kind) throws InterruptedException {
        ConnectedPair pair = deep(kind);
        int count = repetitions(200_000);

        together(
                List.of(
                        () -> send(pair.initiator(), count, SendOpcode.SEND),
                        () -> receive(pair.target(), count)));
    }

    @Test
    void shouldStreamBothWaysAtOnce() throws InterruptedException {
        ConnectedPair pair = deep(MemoryKind.DEVICE);
        int count = repetitions(50_000);

        // Two threads use each queue pair, one for each of its queues.
        together(
                List.of(
                        () -> send(pair.initiator(), count, SendOpcode.SEND),
                        () -> receive(pair.target(), count),
                        () -> send(pair.target(), count, SendOpcode.SEND),
                        () -> receive(pair.initiator(), count)));
    }

    @Test
    void shouldStreamWritesWithImmediate() throws InterruptedException {
        ConnectedPair pair = deep(MemoryKind.DEVICE);
        int count = repetitions(50_000);

        together(
                List.of(
                        () -> send(pair.initiator(), count, SendOpcode.RDMA_WRITE_WITH_IMMEDIATE),
                        () -> receiveImmediates(pair.target(), count)));
    }

    private ConnectedPair deep(MemoryKind kind) {
        return closing(
                pair().both(
                                side ->
                                        side.memory(kind)
                                                .requests(DEPTH, DEPTH)
                                                .completionDepth(2 * DEPTH)
                                                .regionBytes(2L * DEPTH * SLOT)
                                                .settings(
                                                        s -> s.withRetries(3, 7, RNR_TIMER_10_US)))
                        .connect());
    }

    /**
     * Sends from the first half of the region; every message holds its number and the complement.
     */
    private static void send(Endpoint endpoint, int count, SendOpcode opcode) {
        BulkPoller poller = new BulkPoller(endpoint, endpoint.sendQueue(), DEPTH);
        SendWorkRequest request = endpoint.remote(opcode, 0, 0, SLOT, (long) DEPTH * SLOT);
        int done = 0;
        for (int i = 0; i < count; i++) {
            while (i - done >= DEPTH) {
                done = (int) poller.await().id() + 1;
            }
            long offset = (long) (i % DEPTH) * SLOT;
            endpoint.region().memory().set(ValueLayout.JAVA_LONG, offset, i);
            endpoint.region().memory().set(ValueLayout.JAVA_LONG, offset + SLOT - 8, ~i);
            boolean signaled = i % SIGNAL_EVERY == SIGNAL_EVERY - 1 || i == count - 1;
            request.id(i).immediate(i).flags(signaled ? SendWorkRequest.SIGNALED : 0);
            postOne(endpoint, request.element(endpoint.region(), offset, SLOT));
        }
        while (done < count) {
            done = (int) poller.await().id() + 1;
        }
    }

    private static void receive(Endpoint endpoint, int count) {
        BulkPoller poller = new BulkPoller(endpoint, endpoint.receiveQueue(), DEPTH);
        ReceiveWorkRequest request = endpoint.receive(0);
        for (int i = 0; i < DEPTH; i++) {
            repost(endpoint, request, i);
        }
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = poller.await();
            long offset = slotOffset((int) completion.id());
            long head = endpoint.region().memory().get(ValueLayout.JAVA_LONG, offset);
            long tail = endpoint.region().memory().get(ValueLayout.JAVA_LONG, offset + SLOT - 8);
            if (completion.id() != i % DEPTH || head != i || tail != ~(long) i) {
                throw new AssertionError(
                        "message " + i + ": " + head + ", " + tail + " in " + completion);
            }
            repost(endpoint, request, (int) completion.id());
        }
    }

    private static void receiveImmediates(Endpoint endpoint, int count) {
        BulkPoller poller = new BulkPoller(endpoint, endpoint.receiveQueue(), DEPTH);
        ReceiveWorkRequest request = endpoint.receive(0);
        for (int i = 0; i < DEPTH; i++) {
            endpoint.post(request.id(i));
        }
        for (int i = 0; i < count; i++) {
            WorkCompletion completion = poller.await();
            if (completion.immediate() != i || completion.length() != SLOT) {
                throw new AssertionError(
                        "message " + i + ": " + completion.immediate() + " in " + completion);
            }
            endpoint.post(request.id(i));
        }
    }

    /** Receives go to the second half of the region. */
    private static long slotOffset(int slot) {
        return (long) (DEPTH + slot) * SLOT;
    }

    private static void repost(Endpoint endpoint, ReceiveWorkRequest request, int slot) {
        request.id(slot).element(endpoint.region(), slotOffset(slot), SLOT);
        if (endpoint.queuePair().postReceive(request) != 1) {
            throw new AssertionError("no room for receive " + slot + " of " + endpoint);
        }
    }

    private static void postOne(Endpoint endpoint, SendWorkRequest request) {
        if (endpoint.queuePair().postSend(request) != 1) {
            throw new AssertionError("no room for send " + request.id() + " of " + endpoint);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 1000, 20_000})
    void shouldPlayPingPong(int size) throws InterruptedException {
        ConnectedPair pair =
                closing(pair().both(side -> side.oneQueue().regionBytes(2L * size)).connect());
        int rounds = 3000;
        pair.initiator().postReceive(0, size, size);
        pair.target().postReceive(0, size, size);

        together(
                List.of(
                        () -> play(pair.initiator(), size, rounds, true),
                        () -> play(pair.target(), size, rounds, false)));
    }

    /** The initiator serves; each side answers ball n with ball n + 1. */
    private static void play(Endpoint endpoint, int size, int rounds, boolean serves) {
        for (int i = 0; i < rounds; i++) {
            if (serves) {
                hit(endpoint, size, 2L * i);
            }
            awaitBall(endpoint, size, serves ? 2L * i + 1 : 2L * i);
            if (!serves) {
                hit(endpoint, size, 2L * i + 1);
            }
        }
    }

    private static void hit(Endpoint endpoint, int size, long ball) {
        endpoint.memory(0, 8).set(ValueLayout.JAVA_LONG, 0, ball);
        endpoint.memory(size - 8L, 8).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, ball);
        endpoint.post(
                endpoint.request(SendOpcode.SEND, -1, 0, size)
                        .flags(ball % 8 < 2 ? SendWorkRequest.SIGNALED : 0));
    }

    private static void awaitBall(Endpoint endpoint, int size, long ball) {
        Completion completion = endpoint.awaitReceive();
        while (completion.id() == -1) {
            completion.assertSuccess(WorkCompletionOpcode.SEND);
            completion = endpoint.awaitReceive();
        }
        completion.assertSuccess(WorkCompletionOpcode.RECEIVE).assertId(ball / 2);
        assertThat(endpoint.memory(size, 8).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(ball);
        assertThat(endpoint.memory(2L * size - 8, 8).get(ValueLayout.JAVA_LONG_UNALIGNED, 0))
                .isEqualTo(ball);
        endpoint.postReceive(ball / 2 + 1, size, size);
    }

    @Test
    void shouldStreamMessagesOfManySizes() throws InterruptedException {
        int largest = 10_000;
        ConnectedPair pair =
                closing(
                        pair().both(
                                        side ->
                                                side.regionBytes(16L * largest)
                                                        .settings(
                                                                s ->
                                                                        s.withRetries(
                                                                                3,
                                                                                7,
                                                                                RNR_TIMER_10_US)))
                                .connect());
        int count = 10_000;

        together(
                List.of(
                        () -> sendMany(pair.initiator(), count, largest),
                        () -> receiveMany(pair.target(), count, largest)));
    }

    private static int sizeOf(int message, int largest) {
        return (int) (Integer.toUnsignedLong(message * 0x9e3779b9) % (largest + 1));
    }

    private static void sendMany(Endpoint endpoint, int count, int largest) {
        for (int i = 0; i < count; i++) {
            if (i >= 16) {
                endpoint.awaitSend().assertId(i - 16L).assertSuccess(WorkCompletionOpcode.SEND);
            }
            long offset = (long) (i % 16) * largest;
            endpoint.fill(offset, sizeOf(i, largest), i);
            endpoint.postSend(i, offset, sizeOf(i, largest));
        }
    }

    private static void receiveMany(Endpoint endpoint, int count, int largest) {
        for (int i = 0; i < count + 16; i++) {
            long offset = (long) (i % 16) * largest;
            if (i >= 16) {
                int message = i - 16;
                endpoint.awaitReceive().assertId(message).assertLength(sizeOf(message, largest));
                endpoint.verify(offset, sizeOf(message, largest), message);
            }
            endpoint.postReceive(i, offset, largest);
        }
    }
}
