// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

/** Asserts that an interrupt ends a blocking call with an {@link InterruptedException}. */
final class InterruptProbe {
    private InterruptProbe() {}

    /** Interrupts once while the call waits and once before it starts. */
    static void assertInterruptible(boolean virtual, Callable<?> call, Duration patience)
            throws InterruptedException {
        assertInterruptible(virtual, call, patience, false);
        assertInterruptible(virtual, call, patience, true);
    }

    private static void assertInterruptible(
            boolean virtual, Callable<?> call, Duration patience, boolean early)
            throws InterruptedException {
        AtomicReference<Object> outcome = new AtomicReference<>("nothing");
        CountDownLatch started = new CountDownLatch(1);
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        Thread thread =
                builder.name("tck-interrupted")
                        .start(
                                () -> {
                                    if (early) {
                                        Thread.currentThread().interrupt();
                                    }
                                    started.countDown();
                                    outcome.set(outcomeOf(call));
                                });
        started.await();
        if (!early) {
            awaitBlocked(thread, patience);
            thread.interrupt();
        }

        assertThat(thread.join(patience)).as("the interrupt ended the wait").isTrue();
        assertThat(outcome.get()).isInstanceOf(InterruptedException.class);
    }

    private static Object outcomeOf(Callable<?> call) {
        try {
            return call.call();
        } catch (Exception e) {
            return e;
        }
    }

    /**
     * Waits until the thread blocks. A device may wait in a way the thread state does not show, so
     * this is only a good guess with a limit.
     */
    static void awaitBlocked(Thread thread, Duration patience) {
        long limit = Math.min(patience.toNanos(), Duration.ofMillis(200).toNanos());
        long start = System.nanoTime();
        while (System.nanoTime() - start < limit
                && thread.getState() != Thread.State.WAITING
                && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.yield();
        }
    }
}
