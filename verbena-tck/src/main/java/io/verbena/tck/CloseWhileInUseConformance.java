// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.verbena.tck.Household.Member;
import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Objects that are closed, or memory that is freed, while other threads use them. */
public abstract class CloseWhileInUseConformance extends ConformanceTest {
    private static final int ROUNDS = 200;
    private static final int SPINS = 3000;
    private static final int BYTES = 4096;
    private static final byte CANARY = 0x55;
    private static final byte REMOTE = (byte) 0xee;

    /** What a thread may be doing, and which object is closed meanwhile. */
    enum Use {
        POLL(Member.QUEUE) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                WorkCompletion cursor = WorkCompletion.allocate(arena, 4);
                return () -> home.queue().poll(cursor);
            }
        },
        POLL_IN_CLOSING_CONTEXT(Member.CONTEXT) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return POLL.in(home, arena);
            }
        },
        ARM(Member.QUEUE) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> {
                    home.queue().requestNotification(Notification.ANY);
                    return "armed";
                };
            }
        },
        POST_RECEIVE(Member.PAIR) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                toInit(home);
                ReceiveWorkRequest request = ReceiveWorkRequest.allocate(arena, 1);
                request.element(home.region(), 0, 64);
                return () -> home.pair().postReceive(request);
            }
        },
        QUERY(Member.PAIR) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> home.pair().query();
            }
        },
        MODIFY(Member.PAIR) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> {
                    toInit(home);
                    home.pair().modify(QueuePairAttributes.to(QueuePairState.RESET));
                    return "modified";
                };
            }
        },
        REGISTER(Member.DOMAIN) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> {
                    home.domain().allocate(BYTES, AccessFlag.LOCAL_WRITE).close();
                    return "registered";
                };
            }
        },
        CREATE_IDENTIFIER(Member.EVENT_CHANNEL) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> {
                    home.eventChannel().createIdentifier().close();
                    return "created";
                };
            }
        },
        WAIT_FOR_COMPLETION_EVENT(Member.CHANNEL) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> home.channel().awaitEvent(Duration.ofNanos(50_000));
            }
        },
        WAIT_FOR_CONNECTION_EVENT(Member.EVENT_CHANNEL) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> home.eventChannel().awaitEvent(Duration.ofNanos(50_000));
            }
        },
        WAIT_FOR_ASYNC_EVENT(Member.CONTEXT) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> home.context().awaitAsyncEvent(Duration.ofNanos(50_000));
            }
        },
        CREATE_EVERYTHING(Member.CONTEXT) {
            @Override
            Callable<?> in(Household home, Arena arena) {
                return () -> {
                    home.context().createCompletionQueue(4).close();
                    home.context().createCompletionChannel().close();
                    home.context().createEventChannel().close();
                    home.context().allocateProtectionDomain().close();
                    return "created";
                };
            }
        };

        private final Member closed;

        Use(Member closed) {
            this.closed = closed;
        }

        abstract Callable<?> in(Household home, Arena arena);

        private static void toInit(Household home) {
            home.pair()
                    .modify(
                            QueuePairAttributes.to(QueuePairState.INIT)
                                    .pkeyIndex(0)
                                    .port(1)
                                    .access(AccessFlag.REMOTE_WRITE));
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldEndTheUseOfAClosedObject(Use use) throws InterruptedException {
        Random random = new Random(7);
        for (int round = 0; round < repetitions(ROUNDS); round++) {
            try (Arena arena = Arena.ofShared();
                    Household home = new Household(fixture().openInitiator())) {
                CloseRace.run(
                        use.in(home, arena),
                        () -> home.close(use.closed),
                        random.nextInt(SPINS),
                        fixture().patience());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "CHANNEL, false",
        "CHANNEL, true",
        "EVENT_CHANNEL, false",
        "EVENT_CHANNEL, true",
        "CONTEXT, false",
        "CONTEXT, true"
    })
    void shouldWakeWhoWaitsOnAClosedObject(Member member, boolean virtual)
            throws InterruptedException {
        for (int round = 0; round < 20; round++) {
            try (Household home = new Household(fixture().openInitiator())) {
                CloseRace.assertCloseWakes(
                        virtual,
                        waitOn(home, member),
                        () -> home.close(member),
                        fixture().patience());
            }
        }
    }

    private static Callable<?> waitOn(Household home, Member member) {
        return switch (member) {
            case CHANNEL -> () -> home.channel().awaitEvent();
            case EVENT_CHANNEL -> () -> home.eventChannel().awaitEvent();
            default -> () -> home.channel().awaitEvent(Duration.ofMinutes(5));
        };
    }

    @Test
    void shouldEndPostingToAClosedQueuePair() throws InterruptedException {
        ConnectedPair shared = closing(pair().build());
        Random random = new Random(11);
        for (int round = 0; round < repetitions(ROUNDS); round++) {
            try (Endpoint poster = sibling(shared.initiator(), 12);
                    Endpoint peer = sibling(shared.target(), 14)) {
                connect(poster, peer);
                SendWorkRequest request = write(poster, peer.region());
                CloseRace.run(
                        () -> poster.queuePair().postSend(request),
                        poster.queuePair()::close,
                        random.nextInt(SPINS),
                        fixture().patience());
            }
        }
    }

    @Test
    void shouldFailThePeerOfAQueuePairClosedUnderTraffic() throws InterruptedException {
        ConnectedPair shared = closing(pair().build());
        Random random = new Random(13);
        for (int round = 0; round < repetitions(ROUNDS); round++) {
            try (Endpoint writer = sibling(shared.initiator(), 12);
                    Endpoint owner = sibling(shared.target(), 14)) {
                connect(writer, owner);
                Writing writing = new Writing(writer, owner.region());
                writing.awaitFirst(owner.memory(0, BYTES), random.nextInt(SPINS));

                owner.queuePair().close();

                assertThat(writing.awaitEnd()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepPeersOutOnceDeregistered(MemoryKind kind) throws InterruptedException {
        ConnectedPair pair = closing(pair().both(e -> e.completionDepth(64)).build());
        Endpoint writer = pair.initiator();
        Endpoint owner = pair.target();
        MemorySegment memory = owner.createRegion(kind, BYTES, AccessFlag.LOCAL_WRITE).memory();
        Random random = new Random(17);
        for (int round = 0; round < repetitions(ROUNDS); round++) {
            pair.connect();
            memory.fill((byte) 0);
            MemoryRegion exposed =
                    owner.domain()
                            .register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
            Writing writing = new Writing(writer, exposed);
            writing.awaitFirst(memory, random.nextInt(SPINS));

            exposed.close();
            memory.fill(CANARY);

            assertThat(writing.awaitEnd()).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
            assertOnlyCanary(memory, round);
            owner.queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
            writer.queuePair().modify(QueuePairAttributes.to(QueuePairState.RESET));
        }
    }

    @Test
    void shouldSurviveAnArenaClosedUnderARegion() throws InterruptedException {
        ConnectedPair pair = connect();
        Endpoint owner = pair.target();
        // An adapter keeps writing to the pages it has pinned; that is the caller's mistake.
        Assumptions.assumeFalse(
                owner.context().device().isHardware(), "the device holds the pages itself");
        Arena arena = Arena.ofShared();
        MemorySegment memory = arena.allocate(BYTES, 4096);
        MemoryRegion region =
                owner.domain().register(memory, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);
        Writing writing = new Writing(pair.initiator(), region);
        writing.awaitFirst(memory, 0);

        Throwable refusal = catchThrowable(arena::close);

        // The device may keep the arena open while it uses it; then the writes continue.
        if (refusal == null) {
            assertThat(writing.awaitEnd()).isNotEqualTo(WorkCompletionStatus.SUCCESS);
            region.close();
        } else {
            assertThat(refusal).isInstanceOf(IllegalStateException.class);
            region.close();
            assertThat(writing.awaitEnd()).isEqualTo(WorkCompletionStatus.REMOTE_ACCESS);
            arena.close();
        }
    }

    /** A thread that writes to a peer's region until it is refused. */
    private final class Writing {
        private final Endpoint writer;
        private final SendWorkRequest request;
        private final AtomicReference<WorkCompletionStatus> end = new AtomicReference<>();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final AtomicBoolean stop = new AtomicBoolean();
        private final Thread thread;

        Writing(Endpoint writer, MemoryRegion target) {
            this.writer = writer;
            this.request = write(writer, target);
            writer.memory(0, BYTES).fill(REMOTE);
            this.thread =
                    Thread.ofPlatform().name("tck-writing").daemon().start(this::writeUntilRefused);
        }

        private void writeUntilRefused() {
            try {
                int outstanding = 0;
                while (end.get() == null && !stop.get()) {
                    outstanding += writer.queuePair().postSend(request);
                    outstanding -= writer.poll().map(this::take).orElse(0);
                }
                // The remaining requests must all be flushed in time.
                while (outstanding > 0 && !stop.get()) {
                    outstanding -= take(writer.awaitSend());
                }
            } catch (RuntimeException | Error e) {
                failure.set(e);
            }
        }

        private int take(Completion completion) {
            if (end.get() == null) {
                if (completion.status() != WorkCompletionStatus.SUCCESS) {
                    end.set(completion.status());
                }
            } else {
                completion.assertStatus(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            }
            return 1;
        }

        /** Waits until the first bytes arrive, then a few more. */
        void awaitFirst(MemorySegment memory, int spins) {
            writer.patience()
                    .await(
                            "first remote byte",
                            () -> memory.get(ValueLayout.JAVA_BYTE, 0) == REMOTE,
                            () -> "failure " + failure + ", end " + end);
            for (int i = 0; i < spins; i++) {
                Thread.onSpinWait();
            }
        }

        /** {@return the status that ended the writes} */
        WorkCompletionStatus awaitEnd() throws InterruptedException {
            boolean ended = thread.join(fixture().patience());
            stop.set(true);
            assertThat(ended).as("the writer was refused").isTrue();
            assertThat(failure.get()).isNull();
            return end.get();
        }
    }

    /** {@return another endpoint in the same domain, which gives up soon} */
    private Endpoint sibling(Endpoint owner, int timeout) {
        return new EndpointBuilder(fixture(), "short-lived", 0, owner::context)
                .domain(owner.domain())
                .settings(s -> s.withTimeout(timeout).withRetries(2, 7, 12))
                .build();
    }

    private static void connect(Endpoint first, Endpoint second) {
        first.connect(second.address(), first.activeMtu());
        second.connect(first.address(), first.activeMtu());
    }

    private static SendWorkRequest write(Endpoint writer, MemoryRegion target) {
        return writer.request(SendOpcode.RDMA_WRITE, 1)
                .remote(target.address(), target.rkey())
                .element(writer.region(), 0, BYTES);
    }

    private static void assertOnlyCanary(MemorySegment memory, int round) {
        for (long i = 0; i < memory.byteSize(); i++) {
            byte value = memory.get(ValueLayout.JAVA_BYTE, i);
            if (value != CANARY) {
                throw new AssertionError("byte " + i + " in round " + round + ": " + value);
            }
        }
    }
}
