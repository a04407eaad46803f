// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ChannelHealthTest {
    private static final long START = Long.MAX_VALUE - ChannelHealth.FIRST_PAUSE_NS / 2;

    private final ChannelHealth health = new ChannelHealth();

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            health.onFailure(START);
        }
    }

    @Test
    void shouldBeBadAfterFailuresInARowOnly() {
        fail(ChannelHealth.MOST_FAILURES - 1);
        health.onAnswer();
        fail(ChannelHealth.MOST_FAILURES - 1);
        assertThat(health.isGood()).isTrue();

        fail(1);

        assertThat(health.isGood()).isFalse();
        health.onAnswer();
        assertThat(health.isGood()).isTrue();
    }

    @Test
    void shouldBeProbedAfterPausesThatGrow() {
        fail(2 * ChannelHealth.MOST_FAILURES);
        long now = START;
        long pause = ChannelHealth.FIRST_PAUSE_NS;
        for (int i = 0; i < 20; i++) {
            assertThat(health.tryProbe(now + pause - 1)).isFalse();
            now += pause;
            assertThat(health.tryProbe(now)).isTrue();
            pause = Math.min(2 * pause, ChannelHealth.MOST_PAUSE_NS);
        }
        assertThat(pause).isEqualTo(ChannelHealth.MOST_PAUSE_NS);
    }

    @Test
    void shouldBeginWithAShortPauseAgain() {
        fail(ChannelHealth.MOST_FAILURES);
        assertThat(health.tryProbe(START + ChannelHealth.FIRST_PAUSE_NS)).isTrue();
        health.onAnswer();
        fail(ChannelHealth.MOST_FAILURES);

        assertThat(health.tryProbe(START + ChannelHealth.FIRST_PAUSE_NS)).isTrue();
    }
}
