// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CallWorkerTest {
    private static final long LONG_NS = 1_000_000_000;

    private final CountDownLatch release = new CountDownLatch(1);
    private final AtomicInteger started = new AtomicInteger();
    private final Queue<String> starters = new ConcurrentLinkedQueue<>();
    private final AtomicInteger done = new AtomicInteger();
    private volatile boolean isFull;
    private final CallWorker worker = new CallWorker(this::thread);

    @AfterEach
    void close() {
        release.countDown();
        worker.shutdown();
    }

    private Thread thread(Runnable task) {
        if (isFull) {
            throw new OutOfMemoryError("unable to create native thread");
        }
        started.incrementAndGet();
        starters.add(Thread.currentThread().getName());
        return Thread.ofPlatform().daemon().name("call-worker-test").unstarted(task);
    }

    private void block() {
        CountDownLatch entered = new CountDownLatch(1);
        worker.execute(
                () -> {
                    entered.countDown();
                    awaitRelease();
                });
        Eventually.become(() -> entered.getCount() == 0, () -> "not begun");
    }

    private void awaitRelease() {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRunTasksBehindOneThatBlocksOnAnotherThread() {
        block();
        worker.execute(done::incrementAndGet);

        long _ = worker.relieve(0);
        long _ = worker.relieve(LONG_NS);

        Eventually.be(1, done::get);
        assertThat(started).hasValue(2);
    }

    /** Who starts a thread waits until that thread gets a processor. */
    @Test
    void shouldStartFurtherThreadsOnAThreadThatNobodyWaitsFor() {
        worker.start();
        block();

        worker.execute(done::incrementAndGet);

        Eventually.be(1, done::get);
        assertThat(starters)
                .containsExactly(Thread.currentThread().getName(), "verbena-rpc-relief");
    }

    @Test
    void shouldRunTasksThoughNoThreadCanBeStartedAnyMore() {
        worker.start();
        isFull = true;

        worker.execute(done::incrementAndGet);

        Eventually.be(1, done::get);
    }

    @ParameterizedTest
    @EnumSource
    void shouldKeepItsThreadWhenATaskThrows(Thrown thrown) {
        worker.start();
        isFull = true;

        worker.execute(thrown::raise);
        worker.execute(done::incrementAndGet);

        Eventually.be(1, done::get);
        assertThat(started).hasValue(1);
    }

    @Test
    void shouldKeepTasksWhenNoFurtherThreadCanBeStarted() {
        block();
        worker.execute(done::incrementAndGet);
        isFull = true;
        long _ = worker.relieve(0);
        assertThatThrownBy(() -> worker.relieve(LONG_NS)).isInstanceOf(OutOfMemoryError.class);

        worker.execute(done::incrementAndGet);
        release.countDown();

        Eventually.be(2, done::get);
    }
}
