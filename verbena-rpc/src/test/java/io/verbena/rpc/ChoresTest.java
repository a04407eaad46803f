// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.Eventually;
import io.verbena.testing.Thrown;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RunnableScheduledFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ChoresTest {
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger runs = new AtomicInteger();
    private final ThreadFactory threads = Thread.ofPlatform().daemon().factory();

    /** Has no thread to give the second and the third time. */
    private Thread thread(Runnable task) {
        int count = asked.incrementAndGet();
        if (count == 2 || count == 3) {
            throw new OutOfMemoryError("injected");
        }
        return threads.newThread(task);
    }

    @Test
    void shouldGoOnWithWhatIsPlannedWhenItsThreadEndedAndNoneCouldBeStarted() {
        try (Chores chores = new Chores(this::thread);
                ScheduledExecutorService other = Executors.newScheduledThreadPool(1, threads)) {
            Future<?> _ =
                    chores.scheduleAtFixedRate(runs::incrementAndGet, 0, 10, TimeUnit.MILLISECONDS);
            Eventually.become(() -> runs.get() > 0, runs::get);

            // one of the JDK's would keep what it throws; this one ends the thread
            RunnableScheduledFuture<?> plain =
                    (RunnableScheduledFuture<?>) other.schedule(() -> {}, 0, TimeUnit.SECONDS);
            chores.getQueue()
                    .add(
                            Thrown.OUT_OF_MEMORY.in(
                                    RunnableScheduledFuture.class, plain, () -> true, "run"));
            Eventually.become(() -> asked.get() == 4, asked::get);

            int before = runs.get();
            Eventually.become(() -> runs.get() > before, runs::get);
            assertThat(chores.getPoolSize()).isEqualTo(1);
            boolean _ = chores.shutdownNow().isEmpty();
        }
    }
}
