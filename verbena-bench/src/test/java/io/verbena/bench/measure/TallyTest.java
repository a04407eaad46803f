// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TallyTest {
    @Test
    void shouldCountAnswersAndFailures() {
        Tally tally = Tally.ofAll();
        tally.onAnswer(5);
        tally.onAnswer(-1);
        tally.onFailure(112);
        tally.onFailure(104);
        tally.onFailure(112);

        assertThat(tally.answered()).isEqualTo(2);
        assertThat(tally.failed()).isEqualTo(3);
        assertThat(tally.failures()).isEqualTo("1 with E104, 2 with E112");
    }

    @Test
    void shouldSumUpAllIntervals() {
        Tally tally = Tally.ofAll();
        tally.onAnswer(100);
        assertThat(tally.takeInterval().getMaxValue()).isEqualTo(100);
        tally.onAnswer(10);
        assertThat(tally.takeInterval().getMaxValue()).isEqualTo(10);

        assertThat(tally.sum().getTotalCount()).isEqualTo(2);
        assertThat(tally.sum().getMaxValue()).isEqualTo(100);
    }

    @Test
    void shouldForgetAllButTheLastIntervals() {
        Tally tally = Tally.ofLast(2);
        for (long took : new long[] {5000, 10, 20}) {
            tally.onAnswer(took);
            tally.takeInterval();
        }

        assertThat(tally.sum().getTotalCount()).isEqualTo(2);
        assertThat(tally.sum().getMaxValue()).isEqualTo(20);
        assertThat(tally.sum().getMean()).isEqualTo(15);
        assertThat(tally.answered()).isEqualTo(3);
    }
}
