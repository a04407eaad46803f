// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import io.verbena.testing.Eventually;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Virtual threads that compute keep all carriers: platform threads do not depend on them. */
class BusyCarriersTest {
    /** Has one carrier, a virtual thread that waits, and one that computes. */
    static final class Waits {
        private Waits() {}

        public static void main(String[] arguments) throws Exception {
            try (LoopbackWork work = new LoopbackWork()) {
                CountDownLatch over = new CountDownLatch(1);
                Tasks virtual = new Tasks();
                TestWaiter[] parked = new TestWaiter[1];
                Thread waiting =
                        virtual.start(
                                true,
                                () -> {
                                    parked[0] = new TestWaiter();
                                    parked[0].await(work.toAwait());
                                    return null;
                                });
                Eventually.be(Thread.State.WAITING, waiting::getState);
                CountDownLatch busy = new CountDownLatch(1);
                virtual.start(true, () -> compute(busy, over));
                Tasks.await(busy);

                Tasks platform = new Tasks();
                for (int i = 0; i < 3; i++) {
                    platform.start(false, () -> waitAgainAndAgain(work));
                }
                platform.await();
                System.out.println("served");
                TestWaiter nobody = new TestWaiter();
                work.write(nobody);
                Eventually.become(nobody::isOver, () -> "a write that nobody waits for");
                System.out.println("polled");

                over.countDown();
                parked[0].finish();
                virtual.await();
                System.out.println("ended");
            }
        }

        private static Object compute(CountDownLatch busy, CountDownLatch over) {
            busy.countDown();
            while (over.getCount() > 0) {
                Thread.onSpinWait();
            }
            return null;
        }

        private static Object waitAgainAndAgain(LoopbackWork work) {
            for (int i = 0; i < 300; i++) {
                TestWaiter waiter = new TestWaiter();
                work.write(waiter);
                waiter.await(work.toAwait());
            }
            return null;
        }
    }

    @Test
    void shouldServePlatformThreads() throws Exception {
        try (ChildJvm child =
                ChildJvm.start(
                        List.of(
                                "-Djdk.virtualThreadScheduler.parallelism=1",
                                "-Djdk.virtualThreadScheduler.maxPoolSize=1"),
                        Waits.class)) {
            for (String line : List.of("served", "polled", "ended")) {
                assertThat(line(child)).isEqualTo(line);
            }
        }
    }

    private static String line(ChildJvm child) throws InterruptedException {
        String line = child.line();
        // there is no logger in a test
        return line.startsWith("SLF4J") ? line(child) : line;
    }
}
