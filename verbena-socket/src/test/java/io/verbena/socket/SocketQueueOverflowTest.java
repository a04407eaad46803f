// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A completion queue of sockets that overflows, which makes every later poll fail. */
@Timeout(60)
class SocketQueueOverflowTest {
    private static final int RECEIVES = 1024;

    /** Makes a queue unusable, as a device does that reports more than fits. */
    private static void overflow(SocketStack stack, CompletionPort port) {
        boolean isDone = stack.loop().inTurn(() -> flood(stack.domain(), port.queue()));
        assertThat(isDone).isTrue();
    }

    private static void flood(ProtectionDomain domain, CompletionQueue queue) {
        List<QueuePair> pairs = new ArrayList<>();
        try (Arena arena = Arena.ofConfined();
                MemoryRegion memory = domain.allocate(4096, AccessFlag.LOCAL_WRITE)) {
            ReceiveWorkRequest request = ReceiveWorkRequest.allocate(arena, 1);
            for (int posted = 0; posted <= queue.depth(); posted += RECEIVES) {
                QueuePair pair =
                        domain.createQueuePair(
                                QueuePairOptions.of(queue).withRequests(1, RECEIVES));
                pairs.add(pair);
                pair.modify(
                        QueuePairAttributes.to(QueuePairState.INIT)
                                .pkeyIndex(0)
                                .port(1)
                                .access(AccessFlag.LOCAL_WRITE));
                for (int i = 0; i < RECEIVES; i++) {
                    request.id(0).element(memory, 0, 8);
                    pair.postReceive(request);
                }
                // gives all of them back at once
                pair.modify(QueuePairAttributes.to(QueuePairState.ERROR));
            }
        } finally {
            pairs.forEach(QueuePair::close);
        }
    }

    private static CompletableFuture<Object> receive(Stacks.Pair pair, boolean isVirtual) {
        CompletableFuture<Object> end = new CompletableFuture<>();
        Runnable receiver =
                () -> {
                    try {
                        end.complete(pair.server().receive(ByteBuffer.allocate(100)));
                    } catch (Throwable e) {
                        end.complete(e);
                    }
                };
        (isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon(true))
                .name("receiver")
                .start(receiver);
        return end;
    }

    private static void assertLost(Object end) {
        assertThat(end)
                .isInstanceOfSatisfying(
                        IOException.class,
                        e ->
                                assertThat(e)
                                        .hasMessageContaining("completion queue failed")
                                        .hasRootCauseInstanceOf(VerbsException.class));
    }

    @Test
    void shouldEndOnlyConnectionsOfFailedQueue() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            List<Stacks.Pair> ill = new ArrayList<>();
            for (int i = 0; i < CompletionPort.SLOTS; i++) {
                ill.add(stacks.pair());
            }
            Stacks.Pair well = stacks.pair();
            CompletionPort port = ill.getFirst().server().endpoint().port();
            assertThat(well.server().endpoint().port()).isNotEqualTo(port);
            CompletableFuture<Object> platform = receive(ill.getFirst(), false);
            CompletableFuture<Object> virtual = receive(ill.getLast(), true);

            overflow(stacks.serverStack, port);

            assertLost(platform.get(20, TimeUnit.SECONDS));
            assertLost(virtual.get(20, TimeUnit.SECONDS));
            for (Stacks.Pair one : ill) {
                assertThatThrownBy(() -> one.server().receive(ByteBuffer.allocate(100)))
                        .satisfies(SocketQueueOverflowTest::assertLost);
                assertThatThrownBy(() -> one.server().send(Stacks.text("late")))
                        .satisfies(SocketQueueOverflowTest::assertLost);
                Eventually.become(() -> one.client().endpoint().isEnded(), () -> one);
            }
            assertCarries(well);
            // the event thread does its work, too: nobody polls for a listener
            assertCarries(stacks.pair());
        }
    }

    private static void assertCarries(Stacks.Pair pair) throws Exception {
        pair.client().send(Stacks.text("question"));
        assertThat(Stacks.next(pair.server())).isEqualTo("question");
        CompletableFuture<Integer> answered = new CompletableFuture<>();
        pair.client()
                .listen(
                        new MessageListener() {
                            @Override
                            public void onMessage(
                                    int nodeId,
                                    int flag,
                                    java.lang.foreign.MemorySegment memory,
                                    long offset,
                                    int length) {
                                answered.complete(length);
                            }

                            @Override
                            public void onEnd(Optional<IOException> failure) {}
                        });
        pair.server().send(Stacks.text("answer"));
        assertThat(answered.get(10, TimeUnit.SECONDS)).isEqualTo(6);
    }

    @Test
    void shouldSayWhyToThreadThatPolls() throws Exception {
        try (Stacks stacks = new Stacks(Stacks.NATIVE)) {
            Stacks.Pair pair = stacks.pair();
            overflow(stacks.serverStack, pair.server().endpoint().port());

            assertThatThrownBy(
                            () -> {
                                while (true) {
                                    pair.server().tryReceive(ByteBuffer.allocate(100));
                                    Thread.onSpinWait();
                                }
                            })
                    .satisfies(SocketQueueOverflowTest::assertLost);
            pair.server().close();
        }
    }
}
