// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Lists that are too short to be true. */
class SuddenLossTest {
    private static final int HOLD_SECONDS = 20;

    private final AtomicLong nowNs = new AtomicLong(Long.MAX_VALUE - 5);
    private final SuddenLoss loss = new SuddenLoss(HOLD_SECONDS, nowNs::get);

    private void pass(int seconds) {
        nowNs.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void shouldDoubtAListThatLacksMostServers() {
        assertThat(loss.isBelieved(30, 0)).isTrue();
        pass(100);

        assertThat(loss.isBelieved(20, 30)).isTrue();
        // in a few steps, too
        assertThat(loss.isBelieved(14, 20)).isFalse();
        pass(1);
        assertThat(loss.isBelieved(1, 20)).isFalse();
        assertThat(loss.isBelieved(15, 20)).isTrue();
        assertThat(loss.isBelieved(30, 15)).isTrue();
    }

    @Test
    void shouldBelieveItAfterAWhile() {
        assertThat(loss.isBelieved(30, 0)).isTrue();
        assertThat(loss.isBelieved(3, 30)).isFalse();
        pass(HOLD_SECONDS - 1);
        assertThat(loss.isBelieved(2, 30)).isFalse();
        pass(1);

        assertThat(loss.isBelieved(2, 30)).isTrue();
        assertThat(loss.isBelieved(1, 2)).isTrue();
    }

    @Test
    void shouldForgetHowManyThereWereLongAgo() {
        assertThat(loss.isBelieved(30, 0)).isTrue();
        assertThat(loss.isBelieved(16, 30)).isTrue();
        pass(HOLD_SECONDS);

        assertThat(loss.isBelieved(8, 16)).isTrue();
    }

    @Test
    void shouldForgetHowManyThereWereThoughEqualListsAreReported() {
        assertThat(loss.isBelieved(30, 0)).isTrue();
        assertThat(loss.isBelieved(16, 30)).isTrue();
        for (int seconds = 0; seconds <= HOLD_SECONDS; seconds += 5) {
            assertThat(loss.isBelieved(16, 16)).isTrue();
            pass(5);
        }

        assertThat(loss.isBelieved(8, 16)).isTrue();
    }

    @Test
    void shouldDoubtAListAgainAfterAnOutage() {
        assertThat(loss.isBelieved(30, 0)).isTrue();
        assertThat(loss.isBelieved(3, 30)).isFalse();
        loss.beginOutage();
        pass(3 * HOLD_SECONDS);

        assertThat(loss.isBelieved(3, 30)).isFalse();
        pass(HOLD_SECONDS);
        assertThat(loss.isBelieved(3, 30)).isTrue();
    }

    @Test
    void shouldLetAFewServersGoAtOnce() {
        assertThat(loss.isBelieved(SuddenLoss.LEAST_SERVERS - 1, 0)).isTrue();

        assertThat(loss.isBelieved(1, SuddenLoss.LEAST_SERVERS - 1)).isTrue();
    }

    @Test
    void shouldBelieveEverythingIfNothingIsHeld() {
        SuddenLoss none = new SuddenLoss(0, nowNs::get);
        assertThat(none.isBelieved(30, 0)).isTrue();

        assertThat(none.isBelieved(1, 30)).isTrue();
    }
}
