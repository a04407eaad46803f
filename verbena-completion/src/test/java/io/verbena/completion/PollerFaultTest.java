// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.completion.LoopbackWork.Step;
import io.verbena.testing.Eventually;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever the polled work throws, the poller's thread goes on, and so do those who wait. */
class PollerFaultTest {
    private static final List<Supplier<Throwable>> FAULTS =
            List.of(
                    () -> new IllegalStateException("a runtime exception"),
                    () -> new StackOverflowError("an error"),
                    () -> new IOException("a checked exception that nobody declared"));

    static Stream<Arguments> faults() {
        return Stream.of(Step.PASS, Step.ARM, Step.ON_EVENT, Step.ON_REST, Step.CALLS_SEEN)
                .flatMap(step -> FAULTS.stream().map(fault -> Arguments.of(step, fault.get())));
    }

    static Stream<Throwable> throwables() {
        return FAULTS.stream().map(Supplier::get);
    }

    @ParameterizedTest
    @MethodSource("faults")
    void shouldGoOnAfterAFault(Step step, Throwable fault) {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int i = 0; i < 20; i++) {
                Eventually.become(work.poller()::isAsleep, () -> "awake");
                work.failNext(step, fault);
                TestWaiter nobody = new TestWaiter();

                work.write(nobody);

                Eventually.become(nobody::isOver, () -> "a write that nobody waits for");
                Eventually.become(work::isAllDone, () -> step + " was not reached");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldShieldAThreadThatPollsFromFaultsOfOthers(Throwable fault) {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int i = 0; i < 20; i++) {
                Eventually.become(work.poller()::isAsleep, () -> "awake");
                TestWaiter waiter = new TestWaiter();
                work.failNext(Step.PASS, fault);
                work.leave(waiter::finish);

                waiter.await(work.toAwait());

                Eventually.become(work::isAllDone, () -> "no fault");
            }
        }
    }

    /** What the call that failed hides is run nevertheless. */
    @ParameterizedTest
    @MethodSource("throwables")
    void shouldGoOnAfterACallFailed(Throwable fault) {
        try (LoopbackWork work = new LoopbackWork()) {
            for (int i = 0; i < 20; i++) {
                Eventually.become(work.poller()::isAsleep, () -> "awake");
                CountDownLatch ran = new CountDownLatch(1);
                TestWaiter waiter = new TestWaiter();
                work.leave(waiter::finish);
                work.onNext(Step.PASS_END, () -> work.leave(ran::countDown));
                work.failNext(Step.RUN_CALLS, fault);

                waiter.await(work.toAwait());

                Tasks.await(ran);
                Eventually.become(work::isAllDone, () -> "no fault");
            }
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldLeadOnAfterACallFailed(Throwable fault) {
        try (LoopbackWork work = new LoopbackWork()) {
            CountDownLatch ran = new CountDownLatch(1);
            work.onNext(Step.PASS_END, () -> work.leave(ran::countDown));
            work.failNext(Step.RUN_CALLS, fault);
            work.poller().wake();

            Tasks.await(ran);

            Eventually.become(work::isAllDone, () -> "no fault");
            Eventually.become(work.poller()::isAsleep, () -> "awake");
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldRunEveryPlacedTaskAlthoughAFlushFails(Throwable fault) {
        try (LoopbackWork work = new LoopbackWork()) {
            work.failNext(Step.FLUSH, fault);

            // not reached if a busy machine lets the leader be relieved
            while (!work.isAllDone()) {
                CountDownLatch ran = new CountDownLatch(100);
                work.execute(
                        () -> {
                            for (int i = 0; i < 100; i++) {
                                if (!work.poller().tryPlace(ran::countDown)) {
                                    ran.countDown();
                                }
                            }
                        });
                Tasks.await(ran);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("throwables")
    void shouldEndAlthoughItsLastCallsFail(Throwable fault) throws Exception {
        LoopbackWork work = new LoopbackWork();
        work.failNext(Step.MAY_END, fault);
        work.failNext(Step.ON_END, fault);
        Tasks tasks = new Tasks();

        tasks.start(
                false,
                () -> {
                    work.close();
                    return null;
                });

        tasks.await();
        assertThat(work.isAllDone()).isTrue();
    }

    @Test
    void shouldServeOthersWhileEveryOtherPassFails() throws Exception {
        try (LoopbackWork work = new LoopbackWork()) {
            Tasks tasks = new Tasks();
            for (int i = 0; i < 4; i++) {
                tasks.start(
                        i % 2 == 0,
                        () -> {
                            for (int n = 0; n < 200; n++) {
                                TestWaiter waiter = new TestWaiter();
                                work.failNext(Step.PASS, FAULTS.get(n % FAULTS.size()).get());
                                work.write(waiter);
                                waiter.await(work.toAwait());
                            }
                            return null;
                        });
            }

            tasks.await();
        }
    }
}
