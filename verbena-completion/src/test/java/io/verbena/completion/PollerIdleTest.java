// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.verbena.testing.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("quiet")
class PollerIdleTest {
    private static final String NAME = "idle-test";

    @Test
    void shouldCostNextToNothingWhenIdle() throws Exception {
        assumeTrue(Files.exists(Path.of("/proc/self/schedstat")), "needs /proc with schedstat");
        try (LoopbackWork work = new LoopbackWork(NAME, LoopbackWork.SPINNING)) {
            CountDownLatch ran = new CountDownLatch(1);
            work.execute(() -> work.poller().tryPlace(ran::countDown));
            Tasks.await(ran);
            TestWaiter waiter = new TestWaiter();
            work.write(waiter);
            waiter.await(work.toAwait());
            List<Thread> threads = threads();
            Eventually.become(() -> isResting(threads), () -> threads.get(0).getState());
            Eventually.become(work.poller()::isAsleep, () -> "awake");
            long sleeps = work.poller().sleeps();

            long beforeNs = processorNs();
            assertThat(new CountDownLatch(1).await(1, TimeUnit.SECONDS)).isFalse();
            long usedNs = processorNs() - beforeNs;

            assertThat(usedNs).isLessThan(TimeUnit.MILLISECONDS.toNanos(20));
            assertThat(work.poller().sleeps()).isEqualTo(sleeps);
            assertThat(work.poller().isAsleep()).isTrue();
            assertThat(isResting(threads)).isTrue();
        }
    }

    /** They have polled a moment ago, and the poller's thread naps. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSleepWhileThreadsWaitForLong(boolean isVirtual) throws Exception {
        try (LoopbackWork work = new LoopbackWork(NAME, LoopbackWork.SPINNING)) {
            Tasks tasks = new Tasks();
            Queue<TestWaiter> parked = new ConcurrentLinkedQueue<>();
            for (int i = 0; i < 8; i++) {
                tasks.start(
                        isVirtual,
                        () -> {
                            for (int n = 0; n < 200; n++) {
                                TestWaiter waiter = new TestWaiter();
                                work.write(waiter);
                                waiter.await(work.toAwait());
                            }
                            TestWaiter last = new TestWaiter();
                            parked.add(last);
                            last.await(work.toAwait());
                            return null;
                        });
            }
            Eventually.be(8, parked::size);
            Poller poller = work.poller();
            Eventually.become(
                    () -> poller.isAsleep() && poller.toString().contains(" 0 polling, 8 parked"),
                    () -> poller);
            long drives = work.poller().drives();

            assertThat(new CountDownLatch(1).await(200, TimeUnit.MILLISECONDS)).isFalse();

            assertThat(work.poller().isAsleep()).isTrue();
            assertThat(work.poller().drives()).isEqualTo(drives);
            parked.forEach(TestWaiter::finish);
            tasks.await();
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(NAME))
                .toList();
    }

    private static boolean isResting(List<Thread> threads) {
        return threads.stream().allMatch(each -> each.getState() == Thread.State.WAITING);
    }

    /** {@return how long the poller's two threads have been on a processor} */
    private static long processorNs() throws IOException {
        long sum = 0;
        int found = 0;
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                if (Files.readString(task.resolve("comm")).startsWith(NAME)) {
                    // nanoseconds on a processor, then two other numbers
                    String text = Files.readString(task.resolve("schedstat"));
                    sum += Long.parseLong(text.split(" ", -1)[0]);
                    found++;
                }
            }
        }
        assertThat(found).as("threads").isEqualTo(2);
        return sum;
    }
}
