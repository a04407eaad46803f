// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.press;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

final class ScheduleTest {
    @Test
    void shouldSpreadCallsEvenly() {
        Schedule schedule = new Schedule(5_000, 1000);

        assertThat(schedule.dueNs(0)).isEqualTo(5_000);
        assertThat(schedule.dueNs(1)).isEqualTo(1_005_000);
        assertThat(schedule.dueNs(1_000_000)).isEqualTo(1_000_000_005_000L);
    }

    @Test
    void shouldNotDriftAtRatesThatDivideNoSecond() {
        Schedule schedule = new Schedule(0, 3);

        assertThat(schedule.dueNs(3_000_000))
                .isCloseTo(1_000_000_000_000_000L, Offset.offset(1_000L));
    }

    @Test
    void shouldNotWaitForACallThatIsLate() throws InterruptedException {
        long start = System.nanoTime();

        new Schedule(start - 10_000_000_000L, 1).await(5);

        assertThat(System.nanoTime() - start).isLessThan(5_000_000_000L);
    }

    @Test
    void shouldWaitUntilACallIsDue() throws InterruptedException {
        long start = System.nanoTime();

        new Schedule(start, 100).await(2);

        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void shouldEndItsWaitWhenInterrupted() {
        Schedule schedule = new Schedule(System.nanoTime() + 60_000_000_000L, 1);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> schedule.await(0)).isInstanceOf(InterruptedException.class);
    }
}
