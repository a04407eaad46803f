// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.completion.Poller;
import io.verbena.memory.IOBuf;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DispatcherTest {
    /** Answers each message, sometimes only after a while. */
    private static final class Answer extends RecordingSink {
        private final RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        private final CountDownLatch rounds;
        private RdmaEndpoint endpoint;

        Answer(int rounds) {
            this.rounds = new CountDownLatch(rounds);
        }

        @Override
        public void onData(IOBuf received) {
            rounds.countDown();
            if (random.nextInt(4) == 0) {
                LockSupport.parkNanos(random.nextInt(100_000));
            }
            endpoint.write(received);
        }
    }

    /**
     * Both sides go to sleep after every message, at every distance from its arrival: a completion
     * that is missed between the last poll and the sleep would stop the exchange forever.
     */
    @ParameterizedTest
    @CsvSource({"0, false, 1000", "3, false, 1000", "30, false, 1000", "0, true, 300"})
    void shouldNotLoseAnEvent(int spinUs, boolean isPolling, int rounds) throws Exception {
        TransportFlags flags =
                Domains.FLAGS
                        .with(TransportFlag.RDMA_SPIN_US, spinUs)
                        .with(TransportFlag.RDMA_USE_POLLING, isPolling)
                        .with(TransportFlag.RDMA_POLLER_YIELD, isPolling);
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT, flags);
                RdmaDevice b = Domains.open(DeviceUnderTest.RIGHT, flags)) {
            Answer left = new Answer(rounds);
            Answer right = new Answer(rounds);
            EndpointPair pair = EndpointPair.connect(a, b);
            left.endpoint = pair.left;
            right.endpoint = pair.right;
            pair.left.open(left);
            pair.right.open(right);

            pair.left.write(pair.leftBytes(new byte[100]));

            awaitWhileItGoesOn(left.rounds);
            pair.close();
        }
    }

    private static void awaitWhileItGoesOn(CountDownLatch rounds) throws InterruptedException {
        long before = rounds.getCount() + 1;
        while (!rounds.await(10, TimeUnit.SECONDS)) {
            assertThat(rounds.getCount()).as("rounds left, after ten seconds").isLessThan(before);
            before = rounds.getCount();
        }
    }

    /** 100 messages wait: a handler is called once for as many as one poll may take. */
    @ParameterizedTest
    @CsvSource({"1, 100, 1", "32, 4, 4", "4096, 1, 100"})
    void shouldTakeAtMostSoManyCompletionsAtOnce(int pollOnce, int calls, int last)
            throws Exception {
        TransportFlags flags = Domains.FLAGS.with(TransportFlag.RDMA_CQE_POLL_ONCE, pollOnce);
        List<Long> sizes = Collections.synchronizedList(new ArrayList<>());
        RecordingSink sink =
                new RecordingSink() {
                    @Override
                    public void onData(IOBuf received) {
                        sizes.add(received.size());
                        super.onData(received);
                    }
                };
        try (RdmaDevice domain = Domains.open(DeviceUnderTest.LEFT, flags);
                VerbsPeer peer = new VerbsPeer(1024, 128)) {
            RdmaEndpoint endpoint = domain.endpoints().allocate(Side.CLIENT);
            peer.connect(endpoint, 128);
            endpoint.open(sink);
            sink.awaitOpen();
            CountDownLatch isBusy = new CountDownLatch(1);
            CountDownLatch isFull = new CountDownLatch(1);
            domain.dispatchers()
                    .of(Side.CLIENT)
                    .getFirst()
                    .execute(
                            () -> {
                                isBusy.countDown();
                                await(isFull);
                            });
            await(isBusy);

            for (int i = 0; i < 100; i++) {
                peer.send(10, 0);
            }
            peer.awaitSent(100);
            isFull.countDown();

            sink.awaitBytes(1000);
            assertThat(sizes).hasSize(calls).last().isEqualTo(10L * last);
            assertThat(sizes.subList(0, calls - 1)).allMatch(size -> size == 10L * pollOnce);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("an interrupt hit a task", e);
        }
    }

    @Test
    void shouldRunTasksOfOthersWhileItSleeps() throws Exception {
        try (RdmaDevice domain =
                Domains.open(
                        DeviceUnderTest.LEFT, Domains.FLAGS.with(TransportFlag.RDMA_SPIN_US, 0))) {
            Dispatcher dispatcher = domain.dispatchers().of(Side.CLIENT).getFirst();
            AtomicInteger interrupted = new AtomicInteger();
            for (int i = 0; i < 2000; i++) {
                CountDownLatch ran = new CountDownLatch(1);
                dispatcher.execute(
                        () -> {
                            if (Thread.currentThread().isInterrupted()) {
                                interrupted.incrementAndGet();
                            }
                            ran.countDown();
                        });
                assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
            }

            assertThat(dispatcher.poller().sleeps()).isPositive();
            assertThat(interrupted).as("interrupts that hit a task").hasValue(0);
        }
    }

    @Test
    void shouldSleepWhenNothingHappens() throws Exception {
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT);
                RdmaDevice b = Domains.open(DeviceUnderTest.RIGHT)) {
            EndpointPair.open(a, b, new RecordingSink(), new RecordingSink());
            Dispatcher dispatcher = a.dispatchers().of(Side.CLIENT).getFirst();
            Poller poller = dispatcher.poller();

            // at first it looks after the handshake now and then
            Domains.await("a long sleep", () -> isSleepingFor(poller, 50_000_000));
        }
    }

    private static boolean isSleepingFor(Poller poller, long ns) {
        long sleeps = poller.sleeps();
        LockSupport.parkNanos(ns);
        return poller.isAsleep() && poller.sleeps() == sleeps;
    }

    @Test
    void shouldShareConnectionsAmongDispatchers() throws Exception {
        TransportFlags flags = Domains.FLAGS.with(TransportFlag.RDMA_POLLER_NUM, 3);
        try (RdmaDevice a = Domains.open(DeviceUnderTest.LEFT, flags);
                RdmaDevice b = Domains.open(DeviceUnderTest.RIGHT, flags)) {
            for (int i = 0; i < 6; i++) {
                RecordingSink right = new RecordingSink();
                EndpointPair pair = EndpointPair.open(a, b, new RecordingSink(), right);
                pair.left.write(pair.leftBytes(new byte[10_000]));
                right.awaitBytes(10_000);
            }

            assertThat(a.dispatchers().of(Side.CLIENT))
                    .allMatch(
                            dispatcher ->
                                    dispatcher.groups().length == 1
                                            && dispatcher.groups()[0].claimed() == 2);
        }
    }
}
