// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.rpc.RpcError;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LimiterTest {
    private static final LimiterSettings SETTINGS =
            new LimiterSettings(40, 100, RpcError.ELIMIT.code());

    private final AtomicLong clock = new AtomicLong();
    private final AutoLimiter auto = new AutoLimiter(40, RpcError.ELIMIT.code(), clock::get);

    /** Simulates a server for a while: a number of calls per second, each with a latency. */
    private void run(int perSecond, long latencyUs, int seconds, int errorCode) {
        long gapNs = TimeUnit.SECONDS.toNanos(1) / perSecond;
        for (long i = 0; i < (long) perSecond * seconds; i++) {
            clock.addAndGet(gapNs);
            auto.onEnd(latencyUs, errorCode);
        }
    }

    @Test
    void shouldAllowAsManyAsAConstantSays() {
        ConcurrencyLimiter limiter = ConcurrencyLimiter.of("3", SETTINGS);

        assertThat(limiter.isAllowed(3, -1)).isTrue();
        assertThat(limiter.isAllowed(4, -1)).isFalse();
        assertThat(ConcurrencyLimiter.of("unlimited", SETTINGS).isAllowed(1 << 30, -1)).isTrue();
    }

    @Test
    void shouldSettleNearLittlesLaw() {
        // 1000 calls per second, 20 ms each: 20 at a time, and up to 30 % more to look for more
        run(1000, 20_000, 20, 0);

        assertThat(auto.maxConcurrency()).isBetween(20, 27);
    }

    @Test
    void shouldHalveWhenNothingSucceeds() {
        run(1000, 1000, 1, RpcError.EINTERNAL.code());

        assertThat(auto.maxConcurrency()).isLessThan(40).isPositive();
    }

    @Test
    void shouldIgnoreCallsThatWereTurnedAway() {
        run(1000, 1, 5, RpcError.ELIMIT.code());

        assertThat(auto.maxConcurrency()).isEqualTo(40);
    }

    @Test
    void shouldNotGrowWhenLatencyGrows() {
        run(1000, 10_000, 10, 0);
        int before = auto.maxConcurrency();
        run(1000, 40_000, 10, 0);

        assertThat(auto.maxConcurrency()).isLessThanOrEqualTo(before);
    }

    @Test
    void shouldTurnAwayWhoWillBeGoneBeforeTheAnswer() {
        TimeoutLimiter limiter = new TimeoutLimiter(100);
        for (int i = 0; i < 200; i++) {
            limiter.onEnd(50_000, 0);
        }

        assertThat(limiter.isAllowed(2, 10)).isFalse();
        assertThat(limiter.isAllowed(1, 10)).as("one is always taken").isTrue();
        assertThat(limiter.isAllowed(2, 100)).isTrue();
        assertThat(limiter.isAllowed(2, -1)).isTrue();
        assertThat(limiter.isAllowed(101, 100)).isFalse();
    }
}
