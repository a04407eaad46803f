// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** When a server is left out, and for how long. */
class CircuitBreakerTest {
    private static final long USUAL_NS = 1_000_000;
    private static final int LONG = 3000;
    private static final int SHORT = 1500;

    /** What the windows allow before they know how long calls take. */
    private static final int FIRST_ERRORS = 150;

    private final CircuitBreaker breaker = new CircuitBreaker();
    private long nowNs = 1;

    private static ErrorWindow filled(int size, int percent) {
        ErrorWindow window = new ErrorWindow(size, percent);
        for (int i = 0; i < size; i++) {
            assertThat(window.isGoodAfter(false, USUAL_NS)).isTrue();
        }
        return window;
    }

    /** {@return after how many errors in a row a window is no longer good} */
    private static int errorsUntilBad(ErrorWindow window, long latencyNs) {
        int errors = 1;
        while (window.isGoodAfter(true, latencyNs)) {
            errors++;
        }
        return errors;
    }

    /** {@return whether a window stays good while one of so many calls fails, for a long time} */
    private static boolean isGoodWithOneErrorIn(ErrorWindow window, int calls) {
        for (int i = 1; i <= 20 * LONG; i++) {
            boolean isError = i % calls == 0;
            if (!window.isGoodAfter(isError, isError ? 2 * USUAL_NS : USUAL_NS)) {
                return false;
            }
        }
        return true;
    }

    @Test
    void shouldCountErrorsUntilItKnowsHowLongCallsTake() {
        assertThat(errorsUntilBad(new ErrorWindow(LONG, 5), USUAL_NS)).isEqualTo(FIRST_ERRORS);
        assertThat(errorsUntilBad(new ErrorWindow(SHORT, 10), USUAL_NS)).isEqualTo(FIRST_ERRORS);
    }

    @Test
    void shouldWeighErrorsByTheirLatencyUpToTwiceTheAverage() {
        assertThat(errorsUntilBad(filled(LONG, 5), USUAL_NS)).isBetween(153, 154);
        assertThat(errorsUntilBad(filled(LONG, 5), 2 * USUAL_NS)).isBetween(76, 77);
        assertThat(errorsUntilBad(filled(SHORT, 10), 100 * USUAL_NS)).isBetween(76, 77);
        assertThat(errorsUntilBad(filled(SHORT, 10), USUAL_NS / 2)).isBetween(306, 307);
    }

    @Test
    void shouldNoticeALastingShareOfErrorsByTheLongWindowOnly() {
        assertThat(isGoodWithOneErrorIn(filled(LONG, 5), 8)).isFalse();
        assertThat(isGoodWithOneErrorIn(filled(SHORT, 10), 8)).isTrue();
        assertThat(isGoodWithOneErrorIn(filled(LONG, 5), 20)).isTrue();
        assertThat(isGoodWithOneErrorIn(filled(SHORT, 10), 4)).isFalse();
    }

    /** {@return for how long a server is left out that fails from now on} */
    private long isolationMsAfter(int code, int most) {
        for (int i = 0; i < most; i++) {
            long isolationMs = breaker.onCall(nowNs, USUAL_NS, code);
            if (isolationMs > 0) {
                return isolationMs;
            }
        }
        return 0;
    }

    @Test
    void shouldLeaveAServerOutForTwiceAsLongEachTime() {
        for (long expectedMs = 100; expectedMs < 30_000; expectedMs *= 2) {
            assertThat(isolationMsAfter(4711, FIRST_ERRORS)).isEqualTo(expectedMs);
            assertThat(isolationMsAfter(4711, FIRST_ERRORS)).as("while it is out").isZero();
            breaker.close(nowNs);
            nowNs += TimeUnit.SECONDS.toNanos(29);
        }
        for (int i = 0; i < 2; i++) {
            assertThat(isolationMsAfter(4711, FIRST_ERRORS)).isEqualTo(30_000);
            breaker.close(nowNs);
        }
        nowNs += TimeUnit.SECONDS.toNanos(30);

        assertThat(isolationMsAfter(4711, FIRST_ERRORS)).as("good for long").isEqualTo(100);
    }

    @Test
    void shouldBeginAgainWhenTheServerIsBack() {
        assertThat(isolationMsAfter(4711, FIRST_ERRORS)).isPositive();
        breaker.close(nowNs);

        assertThat(isolationMsAfter(4711, FIRST_ERRORS - 1)).isZero();
        assertThat(isolationMsAfter(4711, 1)).isPositive();
    }

    @ParameterizedTest
    @EnumSource(names = {"ELIMIT", "ECANCELED"})
    void shouldNotHoldAgainstAServerThatItIsFullOrNobodyWaits(RpcError error) {
        assertThat(isolationMsAfter(error.code(), 10 * LONG)).isZero();
        assertThat(isolationMsAfter(4711, FIRST_ERRORS - 1)).as("not even in part").isZero();
    }

    @Test
    void shouldLeaveOutAServerThatLosesAgainstItsBackupsAgainAndAgain() {
        int overtaken = RpcError.EBACKUPREQUEST.code();
        int most = CircuitBreaker.MOST_OVERTAKEN + FIRST_ERRORS;

        assertThat(isolationMsAfter(overtaken, most - 1)).isZero();
        assertThat(isolationMsAfter(overtaken, 1)).isEqualTo(100);
    }

    /** Backup requests are meant for the slowest calls of good servers. */
    @Test
    void shouldKeepAServerThatWinsAgainstItsBackupsNowAndThen() {
        for (int i = 0; i < 10 * LONG; i++) {
            int code = i % CircuitBreaker.MOST_OVERTAKEN == 0 ? 0 : RpcError.EBACKUPREQUEST.code();
            assertThat(breaker.onCall(nowNs, USUAL_NS, code)).isZero();
        }
    }
}
