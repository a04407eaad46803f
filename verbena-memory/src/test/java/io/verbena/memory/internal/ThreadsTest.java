// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ThreadsTest {
    @Test
    void shouldWaitThroughAnInterruptAndKeepIt() throws Exception {
        CountDownLatch mayEnd = new CountDownLatch(1);
        Thread waited = Thread.ofPlatform().name("waited").start(() -> await(mayEnd));
        CountDownLatch isInterrupted = new CountDownLatch(1);
        Thread waiter =
                Thread.ofPlatform()
                        .name("waiter")
                        .start(
                                () -> {
                                    Thread.currentThread().interrupt();
                                    Threads.awaitEnd(waited);
                                    if (Thread.interrupted() && !waited.isAlive()) {
                                        isInterrupted.countDown();
                                    }
                                });

        mayEnd.countDown();
        waiter.join();

        assertThat(isInterrupted.getCount()).isZero();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
