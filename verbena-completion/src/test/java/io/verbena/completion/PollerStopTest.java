// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PollerStopTest {
    @Test
    void shouldServeUntilTheWorkAllowsTheEnd() throws Exception {
        LoopbackWork work = new LoopbackWork();
        work.mayEnd(false);
        CountDownLatch half = new CountDownLatch(4);
        Tasks waiting = new Tasks();
        for (int i = 0; i < 4; i++) {
            waiting.start(
                    i % 2 == 0,
                    () -> {
                        for (int n = 0; n < 500; n++) {
                            if (n == 250) {
                                half.countDown();
                            }
                            TestWaiter waiter = new TestWaiter();
                            work.write(waiter);
                            waiter.await(work.toAwait());
                        }
                        return null;
                    });
        }
        Tasks.await(half);

        work.poller().stop();

        waiting.await();
        close(work);
    }

    /** The end of a connection may take seconds; a processor is not spent on waiting for it. */
    @Test
    void shouldSleepUntilTheWorkAllowsTheEnd() throws Exception {
        LoopbackWork work = new LoopbackWork();
        work.mayEnd(false);
        work.poller().stop();
        long before = work.poller().sleeps();

        Eventually.become(
                () -> work.poller().sleeps() >= before + 3, () -> work.poller().sleeps() - before);

        close(work);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndWhileThreadsWait(boolean isVirtual) throws Exception {
        for (int round = 0; round < 50; round++) {
            LoopbackWork work = new LoopbackWork();
            Tasks tasks = new Tasks();
            TestWaiter[] waiters = new TestWaiter[3];
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

            close(work);

            for (TestWaiter waiter : waiters) {
                waiter.finish();
            }
            tasks.await();
        }
    }

    /** Stopped by the call that places them, so that it ends as soon as it can. */
    @Test
    void shouldRunWhatWasPlacedBeforeItEnds() throws Exception {
        for (int round = 0; round < 100; round++) {
            LoopbackWork work = new LoopbackWork();
            CountDownLatch ran = new CountDownLatch(10);
            work.execute(
                    () -> {
                        for (int i = 0; i < 10; i++) {
                            assertThat(work.poller().tryPlace(ran::countDown)).isTrue();
                        }
                        work.poller().stop();
                    });

            Tasks.await(ran);

            close(work);
        }
    }

    @Test
    void shouldRunWhatIsPlacedByItsLastCalls() throws Exception {
        LoopbackWork work = new LoopbackWork();
        CountDownLatch ran = new CountDownLatch(2);
        work.onNext(LoopbackWork.Step.MAY_END, () -> work.poller().tryPlace(ran::countDown));
        work.onNext(LoopbackWork.Step.ON_END, () -> work.poller().tryPlace(ran::countDown));

        close(work);

        Tasks.await(ran);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 5_000_000})
    void shouldEndAlthoughATaskIsStuck(long delayNs) throws Exception {
        for (int round = 0; round < 10; round++) {
            LoopbackWork work = new LoopbackWork();
            CountDownLatch entered = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            CountDownLatch left = new CountDownLatch(1);
            work.execute(
                    () ->
                            assertThat(
                                            work.poller()
                                                    .tryPlace(
                                                            () -> {
                                                                entered.countDown();
                                                                Tasks.await(released);
                                                                left.countDown();
                                                            }))
                                    .isTrue());
            Tasks.await(entered);
            // the crew may or may not have noticed yet
            LockSupport.parkNanos(delayNs);

            close(work);

            released.countDown();
            Tasks.await(left);
        }
    }

    @Test
    void shouldKeepAnInterruptOfTheThreadThatAwaitsTheEnd() throws Exception {
        LoopbackWork work = new LoopbackWork();
        AtomicInteger pending = new AtomicInteger();
        Tasks tasks = new Tasks();
        tasks.start(
                false,
                () -> {
                    Thread.currentThread().interrupt();
                    work.close();
                    if (Thread.interrupted()) {
                        pending.incrementAndGet();
                    }
                    return null;
                });

        tasks.await();

        assertThat(pending).hasValue(1);
    }

    private static void close(LoopbackWork work) throws Exception {
        Tasks tasks = new Tasks();
        tasks.start(
                false,
                () -> {
                    work.close();
                    return null;
                });
        tasks.await();
    }
}
