// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** What a poller's threads do with tasks that are placed with them. */
class PlacedTaskTest {
    private static final String NAME = "placed-test";
    private static final String REFUSED = "refused";

    private static LoopbackWork open() {
        return new LoopbackWork(NAME, LoopbackWork.SPINNING);
    }

    /** Places a task as services are placed: if it is refused, it gets a thread of its own. */
    private static void place(LoopbackWork work, Runnable task) {
        work.execute(() -> placeInside(work, task));
    }

    private static void placeInside(LoopbackWork work, Runnable task) {
        if (!work.poller().tryPlace(task)) {
            Thread.ofVirtual().name(REFUSED).start(task);
        }
    }

    private static String threadOf(LoopbackWork work) {
        AtomicReference<String> name = new AtomicReference<>();
        CountDownLatch ran = new CountDownLatch(1);
        place(
                work,
                () -> {
                    name.set(Thread.currentThread().getName());
                    ran.countDown();
                });
        Tasks.await(ran);
        return name.get();
    }

    @Test
    void shouldRunATaskInThePollersThreadOutsideTheTurn() {
        try (LoopbackWork work = open()) {
            CountDownLatch ran = new CountDownLatch(1);
            AtomicInteger holders = new AtomicInteger();
            place(
                    work,
                    () -> {
                        if (work.poller().isHolder()) {
                            holders.incrementAndGet();
                        }
                        ran.countDown();
                    });
            Tasks.await(ran);

            assertThat(holders).hasValue(0);
            awaitCrew(work);
        }
    }

    @Test
    void shouldRefuseATaskOfAThreadThatMerelyWaits() {
        try (LoopbackWork work = open()) {
            Eventually.become(work.poller()::isAsleep, () -> "awake");
            TestWaiter waiter = new TestWaiter();
            AtomicInteger placed = new AtomicInteger();
            work.leave(
                    () -> {
                        if (work.poller().tryPlace(() -> {})) {
                            placed.incrementAndGet();
                        }
                        waiter.finish();
                    });

            waiter.await(work.toAwait());

            assertThat(placed).hasValue(0);
        }
    }

    @Test
    void shouldMoveTheLeadAwayFromATaskThatBlocksAndBack() {
        Set<String> kept = new HashSet<>();
        try (LoopbackWork work = open()) {
            for (int round = 0; round < 20; round++) {
                CountDownLatch released = new CountDownLatch(1);
                kept.add(keepLeader(work, released));
                // polled by the other one; nobody is left to relieve that one
                TestWaiter nobody = new TestWaiter();
                work.write(nobody);
                Eventually.become(nobody::isOver, () -> "a write");
                assertThat(threadOf(work)).isEqualTo(REFUSED);

                released.countDown();

                awaitCrew(work);
            }
        }
        assertThat(kept).containsExactlyInAnyOrder(NAME, NAME + "-standby");
    }

    /** {@return the thread of the crew that a task keeps until it is released} */
    private static String keepLeader(LoopbackWork work, CountDownLatch released) {
        while (true) {
            AtomicReference<String> name = new AtomicReference<>();
            CountDownLatch entered = new CountDownLatch(1);
            place(
                    work,
                    () -> {
                        name.set(Thread.currentThread().getName());
                        entered.countDown();
                        if (isOfCrew(name.get())) {
                            Tasks.await(released);
                        }
                    });
            Tasks.await(entered);
            if (isOfCrew(name.get())) {
                return name.get();
            }
        }
    }

    private static boolean isOfCrew(String thread) {
        return thread.startsWith(NAME);
    }

    /** Waits until tasks are placed: on a busy machine, a thread may be relieved at any time. */
    private static void awaitCrew(LoopbackWork work) {
        Eventually.become(() -> isOfCrew(threadOf(work)), () -> "all tasks are refused");
    }

    /**
     * The poller's first thread starts; the other one can be started at the second attempt only.
     */
    @Test
    void shouldLoseNothingWhenNoThreadCanBeStarted() {
        AtomicInteger refusals = new AtomicInteger();
        try (LoopbackWork work =
                new LoopbackWork(
                        NAME, LoopbackWork.SPINNING, task -> new Refusing(task, refusals))) {
            refusals.set(1);

            String first = threadOf(work);

            assertThat(refusals).as("a start that failed").hasValue(0);
            assertThat(first).isEqualTo(NAME);
            // relieved nevertheless
            CountDownLatch released = new CountDownLatch(1);
            keepLeader(work, released);
            TestWaiter nobody = new TestWaiter();
            work.write(nobody);
            Eventually.become(nobody::isOver, () -> "a write");
            released.countDown();
            awaitCrew(work);
        }
    }

    /** Does not start as long as it must not. */
    private static final class Refusing extends Thread {
        private final AtomicInteger refusals;

        Refusing(Runnable task, AtomicInteger refusals) {
            super(task, "refusing");
            setDaemon(true);
            this.refusals = refusals;
        }

        @Override
        public void start() {
            if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new OutOfMemoryError("unable to create native thread (thrown by the test)");
            }
            super.start();
        }
    }

    @Test
    void shouldRunTheTasksBehindOneThatBlocks() {
        try (LoopbackWork work = open()) {
            for (int round = 0; round < 20; round++) {
                CountDownLatch others = new CountDownLatch(50);
                CountDownLatch blocked = new CountDownLatch(1);
                work.execute(
                        () -> {
                            placeInside(
                                    work,
                                    () -> {
                                        Tasks.await(others);
                                        blocked.countDown();
                                    });
                            for (int i = 0; i < 50; i++) {
                                placeInside(work, others::countDown);
                            }
                        });

                Tasks.await(blocked);
            }
        }
    }

    @Test
    void shouldRunTasksThatWaitForEachOther() {
        try (LoopbackWork work = open()) {
            for (int round = 0; round < 20; round++) {
                CyclicBarrier barrier = new CyclicBarrier(5);
                CountDownLatch met = new CountDownLatch(5);
                work.execute(
                        () -> {
                            for (int i = 0; i < 5; i++) {
                                placeInside(work, () -> meet(barrier, met));
                            }
                        });

                Tasks.await(met);
            }
        }
    }

    private static void meet(CyclicBarrier barrier, CountDownLatch met) {
        try {
            barrier.await(20, TimeUnit.SECONDS);
            met.countDown();
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** As a service that calls another one through the same poller. */
    @Test
    void shouldLetATaskWaitForAnotherOne() {
        try (LoopbackWork work = open()) {
            for (int round = 0; round < 100; round++) {
                CountDownLatch over = new CountDownLatch(1);
                place(
                        work,
                        () -> {
                            TestWaiter waiter = new TestWaiter();
                            place(work, waiter::finish);
                            waiter.await(work.toAwait());
                            TestWaiter written = new TestWaiter();
                            work.write(written);
                            written.await(work.toAwait());
                            over.countDown();
                        });

                Tasks.await(over);
            }
        }
    }

    @Test
    void shouldGoOnAfterATaskThatThrows() {
        try (LoopbackWork work = open()) {
            for (Throwable fault :
                    new Throwable[] {
                        new IllegalStateException("a runtime exception"),
                        new StackOverflowError("an error"),
                        new IOException("a checked exception that nobody declared")
                    }) {
                place(work, () -> PlacedTaskTest.<RuntimeException>throwAny(fault));

                awaitCrew(work);
            }
        }
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void throwAny(Throwable fault) throws T {
        throw (T) fault;
    }

    /** Otherwise the poller's thread would take it for a call, and a call would hit a task. */
    @Test
    void shouldForgetAnInterruptThatATaskLeavesBehind() {
        try (LoopbackWork work = open()) {
            AtomicInteger hit = new AtomicInteger();
            CountDownLatch ran = new CountDownLatch(200);
            work.execute(
                    () -> {
                        for (int i = 0; i < 200; i++) {
                            placeInside(
                                    work,
                                    () -> {
                                        if (Thread.currentThread().isInterrupted()) {
                                            hit.incrementAndGet();
                                        }
                                        Thread.currentThread().interrupt();
                                        ran.countDown();
                                    });
                        }
                    });

            Tasks.await(ran);

            assertThat(hit).hasValue(0);
        }
    }

    @Test
    void shouldRunEveryTaskOnce() throws Exception {
        try (LoopbackWork work = open()) {
            int count = 200_000;
            AtomicInteger[] runs = new AtomicInteger[count];
            CountDownLatch over = new CountDownLatch(count);
            RandomGenerator random = RandomGenerator.of("L64X128MixRandom");
            for (int i = 0; i < count; ) {
                int first = i;
                int last = Math.min(count, i + 1 + random.nextInt(400));
                for (; i < last; i++) {
                    runs[i] = new AtomicInteger();
                }
                boolean isSlow = random.nextInt(20) == 0;
                int slow = first + random.nextInt(last - first);
                long pauseNs = random.nextInt(3_000_000);
                work.execute(
                        () -> {
                            for (int n = first; n < last; n++) {
                                AtomicInteger own = runs[n];
                                boolean isBlocking = isSlow && n == slow;
                                placeInside(
                                        work,
                                        () -> {
                                            own.incrementAndGet();
                                            if (isBlocking) {
                                                LockSupport.parkNanos(pauseNs);
                                            }
                                            over.countDown();
                                        });
                            }
                        });
            }

            Tasks.await(over);

            assertThat(runs).allMatch(each -> each.get() == 1);
            assertThat(work.clashes()).isZero();
        }
    }

    @Test
    void shouldServeThoseWhoWaitWhileTasksBlock() throws Exception {
        try (LoopbackWork work = open()) {
            Tasks tasks = new Tasks();
            CountDownLatch over = new CountDownLatch(3);
            for (int i = 0; i < 3; i++) {
                boolean isVirtual = i == 0;
                Optional<Poller> poller = i == 1 ? Optional.empty() : work.toAwait();
                tasks.start(
                        isVirtual,
                        () -> {
                            for (int n = 0; n < 300; n++) {
                                TestWaiter waiter = new TestWaiter();
                                work.write(waiter);
                                waiter.await(poller);
                            }
                            over.countDown();
                            return null;
                        });
            }
            AtomicInteger ran = new AtomicInteger();
            int placed = 0;
            while (over.getCount() > 0) {
                int before = placed++;
                place(
                        work,
                        () -> {
                            LockSupport.parkNanos(2_000_000);
                            ran.incrementAndGet();
                        });
                Eventually.become(() -> ran.get() > before - 4, ran::get);
            }

            tasks.await();

            Eventually.be(placed, ran::get);
        }
    }
}
