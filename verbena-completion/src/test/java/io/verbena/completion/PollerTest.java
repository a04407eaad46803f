// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PollerTest {
    /** Sleeps as soon as nothing comes; threads that wait do not poll. */
    private static final PollerOptions AT_ONCE = new PollerOptions(false, false, 0);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLetALoneWaiterPollItself(boolean isVirtual) throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            AtomicInteger own = new AtomicInteger();
            Tasks tasks = new Tasks();
            tasks.start(
                    isVirtual,
                    () -> {
                        for (int i = 0; i < 1000; i++) {
                            Thread self = Thread.currentThread();
                            TestWaiter waiter =
                                    new TestWaiter() {
                                        @Override
                                        void finish() {
                                            if (Thread.currentThread().equals(self)) {
                                                own.incrementAndGet();
                                            }
                                            super.finish();
                                        }
                                    };
                            work.write(waiter);
                            waiter.await(work.toAwait());
                            assertThat(waiter.isOver()).isTrue();
                        }
                        return null;
                    });

            tasks.await();

            assertThat(own).as("ended by the thread itself").hasPositiveValue();
            assertThat(work.poller().drives()).isPositive();
            assertThat(work.clashes()).isZero();
        }
    }

    @Test
    void shouldWakeAWaiterThatDoesNotPoll() throws Exception {
        try (LoopbackWork work = new LoopbackWork("sleeper-test", AT_ONCE)) {
            Tasks tasks = new Tasks();
            tasks.start(
                    false,
                    () -> {
                        for (int i = 0; i < 500; i++) {
                            TestWaiter waiter = new TestWaiter();
                            work.write(waiter);
                            waiter.await(work.toAwait());
                        }
                        return null;
                    });

            tasks.await();

            assertThat(work.poller().drives()).isZero();
            assertThat(work.poller().sleeps()).isPositive();
        }
    }

    /** Most waits are longer than threads poll, so that all of them park, sleep and hand over. */
    @ParameterizedTest
    @CsvSource({"4, 0, 3000", "0, 64, 400", "2, 32, 600", "1, 1, 5000"})
    void shouldEndEveryWaiter(int platform, int virtual, int rounds) throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            AtomicLong ended = new AtomicLong();
            Tasks tasks = new Tasks();
            for (int i = 0; i < platform + virtual; i++) {
                tasks.start(i >= platform, () -> waitAgainAndAgain(work, rounds, ended));
            }

            tasks.await();

            assertThat(ended).hasValue((long) (platform + virtual) * rounds);
            assertThat(work.poller()).asString().endsWith("0 polling, 0 parked, 0 resuming");
            assertThat(work.clashes()).isZero();
        }
    }

    private static Object waitAgainAndAgain(LoopbackWork work, int rounds, AtomicLong ended) {
        RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
        for (int i = 0; i < rounds; i++) {
            TestWaiter waiter = new TestWaiter();
            switch (random.nextInt(4)) {
                case 0 -> work.write(waiter);
                case 1 -> {
                    if (work.poller().isPassDue()) {
                        work.leave(waiter::finish);
                    } else {
                        work.execute(waiter::finish);
                    }
                }
                case 2 -> work.execute(waiter::finish);
                default -> endElsewhere(waiter, random.nextInt(100_000));
            }
            waiter.await(work.toAwait());
            ended.incrementAndGet();
            if (random.nextInt(16) == 0) {
                LockSupport.parkNanos(random.nextInt(300_000));
            }
        }
        return null;
    }

    private static void endElsewhere(TestWaiter waiter, long delayNs) {
        Thread.ofVirtual()
                .name("ender")
                .start(
                        () -> {
                            LockSupport.parkNanos(delayNs);
                            waiter.finish();
                        });
    }

    /**
     * One thread polls and the others are parked; their writes are posted by a pass that each of
     * them relies on, and one thread leaves after the other.
     */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldHandOverWhenThePollingThreadLeaves(boolean isVirtual) throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int round = 0; round < 300; round++) {
                Tasks tasks = new Tasks();
                TestWaiter[] waiters = new TestWaiter[4];
                CountDownLatch made = new CountDownLatch(waiters.length);
                for (int i = 0; i < waiters.length; i++) {
                    int place = i;
                    tasks.start(
                            isVirtual,
                            () -> {
                                waiters[place] = new TestWaiter();
                                made.countDown();
                                waiters[place].await(work.toAwait());
                                return null;
                            });
                }
                Tasks.await(made);

                waiters[round % waiters.length].finish();
                for (int i = 1; i < waiters.length; i++) {
                    work.write(waiters[(round + i) % waiters.length]);
                }

                tasks.await();
            }
        }
    }

    /**
     * Another thread has seen this one poll, and leaves something to its next pass. There is none,
     * and the poller's thread sleeps.
     */
    @Test
    void shouldRunWhatIsLeftToAThreadThatStopsPolling() {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int i = 0; i < 100; i++) {
                Eventually.become(work.poller()::isAsleep, () -> "awake");
                CountDownLatch ran = new CountDownLatch(1);
                TestWaiter waiter = new TestWaiter();
                work.leave(waiter::finish);
                work.onNext(LoopbackWork.Step.CALLS_SEEN, () -> work.leave(ran::countDown));

                waiter.await(work.toAwait());

                Tasks.await(ran);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"false, true", "true, true", "false, false", "true, false"})
    void shouldReportAnInterruptAndKeepWaiting(boolean isVirtual, boolean isHelping)
            throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            Optional<Poller> poller = isHelping ? work.toAwait() : Optional.empty();
            for (int round = 0; round < 100; round++) {
                boolean isParked = round % 2 == 0;
                TestWaiter[] waiter = new TestWaiter[1];
                CountDownLatch made = new CountDownLatch(1);
                Tasks tasks = new Tasks();
                Thread thread =
                        tasks.start(
                                isVirtual,
                                () -> {
                                    waiter[0] = new TestWaiter();
                                    made.countDown();
                                    waiter[0].await(poller);
                                    assertThat(Thread.interrupted()).as("pending").isTrue();
                                    return null;
                                });
                Tasks.await(made);
                for (int i = 1; i <= 3; i++) {
                    if (isParked) {
                        Eventually.be(Thread.State.WAITING, thread::getState);
                    }
                    thread.interrupt();
                    Eventually.be(i, waiter[0]::interrupts);
                }
                assertThat(thread.isAlive()).isTrue();

                waiter[0].finish();

                tasks.await();
                assertThat(waiter[0].interrupts()).isEqualTo(3);
            }
        }
    }

    @Test
    void shouldEndAWaiterThatIsOverBeforeItWaits() {
        try (LoopbackWork work = new LoopbackWork()) {
            TestWaiter waiter = new TestWaiter();
            waiter.finish();
            Thread.currentThread().interrupt();

            waiter.await(work.toAwait());

            assertThat(Thread.interrupted()).isTrue();
            assertThat(waiter.interrupts()).isZero();
        }
    }

    @Test
    void shouldLookAfterWhatNobodyWaitsForWhileOthersDrive() throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            Tasks tasks = new Tasks();
            CountDownLatch over = new CountDownLatch(1);
            tasks.start(
                    false,
                    () -> {
                        while (over.getCount() > 0) {
                            TestWaiter waiter = new TestWaiter();
                            work.write(waiter);
                            waiter.await(work.toAwait());
                        }
                        return null;
                    });
            Eventually.become(() -> work.poller().drives() > 1000, work.poller()::drives);

            for (int i = 0; i < 100; i++) {
                TestWaiter nobody = new TestWaiter();
                work.poller().attend();
                work.write(nobody);
                Eventually.become(nobody::isOver, () -> "a write that nobody waits for");
            }

            over.countDown();
            tasks.await();
        }
    }

    @Test
    void shouldSleepUntilItIsWokenOrSomethingCompletes() {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int i = 0; i < 200; i++) {
                Eventually.become(work.poller()::isAsleep, () -> "awake");
                CountDownLatch ran = new CountDownLatch(1);
                AtomicInteger interrupts = new AtomicInteger();
                work.execute(
                        () -> {
                            if (Thread.currentThread().isInterrupted()) {
                                interrupts.incrementAndGet();
                            }
                            ran.countDown();
                        });
                Tasks.await(ran);
                assertThat(interrupts).hasValue(0);
                TestWaiter nobody = new TestWaiter();

                work.write(nobody);

                Eventually.become(nobody::isOver, () -> "a write that nobody waits for");
            }
        }
    }

    @Test
    void shouldServeThoseWhoWaitEvenIfItNeverSleeps() throws Exception {
        try (LoopbackWork work =
                new LoopbackWork("polling-test", new PollerOptions(true, true, 50_000))) {
            AtomicLong ended = new AtomicLong();
            Tasks tasks = new Tasks();
            tasks.start(false, () -> waitAgainAndAgain(work, 500, ended));
            tasks.start(true, () -> waitAgainAndAgain(work, 500, ended));

            tasks.await();

            assertThat(ended).hasValue(1000);
            assertThat(work.poller().sleeps()).isZero();
            work.isInUse(false);
            Eventually.become(work.poller()::isAsleep, () -> "awake though it is not used");
        }
    }
}
