// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;

class PlacedTasksTest {
    private static final int CAPACITY = 256;

    @Test
    void shouldReturnTasksInOrder() {
        PlacedTasks tasks = new PlacedTasks();
        Runnable first = () -> {};
        Runnable second = () -> {};

        assertThat(tasks.isEmpty()).isTrue();
        assertThat(tasks.poll()).isNull();
        assertThat(tasks.tryAdd(first)).isTrue();
        assertThat(tasks.tryAdd(second)).isTrue();

        assertThat(tasks.isEmpty()).isFalse();
        assertThat(tasks.poll()).isSameAs(first);
        assertThat(tasks.poll()).isSameAs(second);
        assertThat(tasks.poll()).isNull();
    }

    @Test
    void shouldRefuseATaskWhenFull() {
        PlacedTasks tasks = new PlacedTasks();
        for (int i = 0; i < CAPACITY; i++) {
            assertThat(tasks.tryAdd(() -> {})).isTrue();
        }

        assertThat(tasks.tryAdd(() -> {})).isFalse();
        tasks.poll();
        assertThat(tasks.tryAdd(() -> {})).isTrue();
    }

    /** Its place in the ring is used again, by the same task. */
    @Test
    void shouldGiveATaskThatIsPlacedAgainAndAgainToOneThreadEachTime() throws Exception {
        AtomicInteger runs = new AtomicInteger();
        Runnable task = runs::incrementAndGet;

        hammer(100_000, _ -> task);

        assertThat(runs).hasValue(100_000);
    }

    @Test
    void shouldGiveEachTaskToOneThread() throws Exception {
        AtomicInteger[] runs = new AtomicInteger[100_000];
        Arrays.setAll(runs, _ -> new AtomicInteger());

        hammer(runs.length, place -> runs[place]::incrementAndGet);

        assertThat(runs).allMatch(each -> each.get() == 1);
    }

    private static void hammer(int count, IntFunction<Runnable> source) throws Exception {
        PlacedTasks tasks = new PlacedTasks();
        AtomicBoolean isOver = new AtomicBoolean();
        Tasks threads = new Tasks();
        for (int i = 0; i < 3; i++) {
            threads.start(
                    false,
                    () -> {
                        boolean isLast;
                        do {
                            isLast = isOver.get();
                            for (Runnable t = tasks.poll(); t != null; t = tasks.poll()) {
                                t.run();
                            }
                            Thread.yield();
                        } while (!isLast);
                        return null;
                    });
        }
        for (int i = 0; i < count; i++) {
            Runnable task = source.apply(i);
            while (!tasks.tryAdd(task)) {
                Thread.yield();
            }
        }
        isOver.set(true);
        threads.await();
    }
}
