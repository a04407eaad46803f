// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.verbena.testing.Thrown;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class EnduringTaskTest {
    private final AtomicInteger rounds = new AtomicInteger();

    @ParameterizedTest
    @EnumSource(Thrown.class)
    void shouldBeginAgainUntilItReturns(Thrown thrown) {
        EnduringTask task = new EnduringTask(() -> failTwice(thrown));

        assertThatCode(task::run).doesNotThrowAnyException();

        assertThat(rounds).hasValue(3);
    }

    private void failTwice(Thrown thrown) {
        if (rounds.incrementAndGet() <= 2) {
            thrown.raise();
        }
    }

    @Test
    void shouldSayWhetherItReturned() {
        EnduringTask task = new EnduringTask(() -> failTwice(Thrown.OUT_OF_MEMORY));

        assertThat(task.tryRun()).isFalse();
        assertThat(task.tryRun()).isFalse();
        assertThat(task.tryRun()).isTrue();
        assertThat(rounds).hasValue(3);
    }
}
