// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.testing.Eventually;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CoarseClockTest {
    private final CoarseClock clock = new CoarseClock();

    @AfterEach
    void close() {
        clock.close();
    }

    private static boolean hasThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().equals("verbena-metrics-clock"));
    }

    @Test
    void shouldFollowTheTimeOfDay() {
        long before = System.currentTimeMillis();

        Eventually.become(() -> clock.wallTime() >= before + 50, clock::wallTime);

        assertThat(clock.wallTime()).isLessThanOrEqualTo(System.currentTimeMillis());
    }

    @Test
    void shouldMeasureExactly() {
        long before = System.nanoTime();
        long now = clock.monotonicTime();
        long after = System.nanoTime();

        assertThat(now - before).isNotNegative();
        assertThat(after - now).isNotNegative();
    }

    @Test
    void shouldBeExactWithoutItsThread() {
        clock.close();
        Eventually.become(() -> !hasThread(), Thread::getAllStackTraces);

        long before = System.currentTimeMillis();
        assertThat(clock.wallTime()).isBetween(before, System.currentTimeMillis());
        clock.close();
    }

    @Test
    void shouldTurnTheWindowsOfATimer() {
        SimpleConfig quick =
                new SimpleConfig() {
                    @Override
                    public String get(String key) {
                        return null;
                    }

                    @Override
                    public Duration step() {
                        return Duration.ofMillis(300);
                    }
                };
        Timer timer =
                Timer.builder("calls")
                        .publishPercentileHistogram()
                        .register(new SimpleMeterRegistry(quick, clock));

        timer.record(5, TimeUnit.MILLISECONDS);

        assertThat(timer.count()).isEqualTo(1);
        assertThat(timer.totalTime(TimeUnit.MILLISECONDS)).isEqualTo(5);
        Eventually.be(0.0, () -> timer.max(TimeUnit.MILLISECONDS));
        assertThat(timer.count()).isEqualTo(1);
    }
}
