// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How many retries a channel may make. */
class RetryBudgetTest {
    private final AtomicLong clock = new AtomicLong(1);

    private RetryBudget budget(int percent) {
        return new RetryBudget(percent, clock::get);
    }

    private void call(RetryBudget budget, int calls) {
        for (int i = 0; i < calls; i++) {
            budget.deposit(clock.get());
        }
    }

    private static int takeAll(RetryBudget budget) {
        int taken = 0;
        while (taken < 100_000 && budget.tryTake()) {
            taken++;
        }
        return taken;
    }

    private void pass(long seconds) {
        clock.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void shouldBeginWithASmallReserve() {
        assertThat(takeAll(budget(10))).isEqualTo(RetryBudget.LEAST_RESERVE);
    }

    @Test
    void shouldAllowAShareOfTheCallsWhileEveryCallIsRetried() {
        RetryBudget budget = budget(10);
        int taken = 0;
        for (int i = 0; i < 500; i++) {
            budget.deposit(clock.get());
            taken += budget.tryTake() ? 1 : 0;
        }

        assertThat(taken).isBetween(50, 60);
    }

    @Test
    void shouldSaveUpAShareOfTheRecentCalls() {
        RetryBudget budget = budget(10);
        call(budget, 1000);
        assertThat(takeAll(budget)).isBetween(80, 100);

        call(budget, 1000);
        pass(RetryBudget.INTERVAL_SECONDS);
        call(budget, 1000);
        assertThat(takeAll(budget)).as("of two intervals").isBetween(150, 300);
    }

    @Test
    void shouldForgetCallsOfLongAgo() {
        RetryBudget budget = budget(10);
        call(budget, 100_000);
        pass(2 * RetryBudget.INTERVAL_SECONDS);

        assertThat(takeAll(budget)).isEqualTo(RetryBudget.LEAST_RESERVE);
    }

    @Test
    void shouldForgetBusyTimesWhileThereAreFewCalls() {
        RetryBudget budget = budget(10);
        call(budget, 100_000);
        for (int i = 0; i < 10 * RetryBudget.INTERVAL_SECONDS; i++) {
            pass(1);
            call(budget, 20);
        }

        assertThat(takeAll(budget)).isBetween(RetryBudget.LEAST_RESERVE, 40);
    }

    @Test
    void shouldNotSaveUpMoreThanTheLargestReserve() {
        RetryBudget budget = budget(10);
        call(budget, 1_000_000);

        assertThat(takeAll(budget)).isEqualTo(RetryBudget.MOST_RESERVE);
    }

    @Test
    void shouldBeUnlimitedIfNegative() {
        RetryBudget budget = budget(-1);

        assertThat(takeAll(budget)).isEqualTo(100_000);
    }

    @Test
    void shouldHaveOnlyTheReserveWithoutAShare() {
        RetryBudget budget = budget(0);
        call(budget, 100_000);

        assertThat(takeAll(budget)).isEqualTo(RetryBudget.LEAST_RESERVE);
        call(budget, 100_000);
        assertThat(takeAll(budget)).isZero();
    }

    @Test
    void shouldNotAllowMoreWhenManyThreadsRetry() throws InterruptedException {
        RetryBudget budget = new RetryBudget(10);
        AtomicInteger taken = new AtomicInteger();
        int threads = 4;
        int calls = 20_000;
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            all.add(
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int k = 0; k < calls; k++) {
                                            budget.deposit(System.nanoTime());
                                            taken.addAndGet(budget.tryTake() ? 1 : 0);
                                        }
                                    }));
        }
        for (Thread thread : all) {
            thread.join();
        }

        assertThat(taken.get())
                .isBetween(
                        threads * calls / 10 - 100,
                        threads * calls / 10 + RetryBudget.LEAST_RESERVE);
    }
}
