// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verbs.VerbsException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** Uses an object in one thread while another thread closes it. */
final class CloseRace {
    private CloseRace() {}

    /**
     * Calls repeatedly until the object is closed and the call reports it.
     *
     * @param use the call; during the race it may return anything or throw one of the library's
     *     exceptions; after the close it must throw
     * @param spins how long to let it run before the close
     */
    static void run(Callable<?> use, Runnable close, int spins, Duration patience)
            throws InterruptedException {
        AtomicBoolean closed = new AtomicBoolean();
        CountDownLatch started = new CountDownLatch(1);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread user =
                Thread.ofPlatform()
                        .name("tck-user")
                        .daemon()
                        .start(() -> useUntilClosed(use, closed, started, failure));
        started.await();
        for (int i = 0; i < spins; i++) {
            Thread.onSpinWait();
        }
        close.run();
        closed.set(true);

        assertThat(user.join(patience)).as("the user of the closed object came back").isTrue();
        assertThat(failure.get()).isNull();
    }

    private static void useUntilClosed(
            Callable<?> use,
            AtomicBoolean closed,
            CountDownLatch started,
            AtomicReference<Throwable> failure) {
        while (true) {
            boolean last = closed.get();
            try {
                use.call();
                started.countDown();
                if (last) {
                    failure.set(new AssertionError("still usable after close"));
                    return;
                }
            } catch (IllegalStateException | VerbsException e) {
                started.countDown();
                return;
            } catch (Exception | Error e) {
                failure.set(e);
                started.countDown();
                return;
            }
        }
    }

    /** Closes an object that a thread waits on; the waiter must return with nothing. */
    static void assertCloseWakes(
            boolean virtual, Callable<?> wait, Runnable close, Duration patience)
            throws InterruptedException {
        AtomicReference<Throwable> outcome = new AtomicReference<>();
        CountDownLatch started = new CountDownLatch(1);
        Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
        Thread waiter =
                builder.name("tck-waiter")
                        .start(
                                () -> {
                                    started.countDown();
                                    try {
                                        wait.call();
                                    } catch (Exception | Error e) {
                                        outcome.set(e);
                                    }
                                });
        started.await();
        InterruptProbe.awaitBlocked(waiter, patience);

        close.run();

        assertThat(waiter.join(patience)).as("the close woke the waiter").isTrue();
        assertThat(outcome.get()).isInstanceOf(IllegalStateException.class);
    }
}
