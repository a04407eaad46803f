// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PlacementTest {
    private static final long QUICK_NS = 1_000;
    private static final long BLOCKED_NS = 1_000_000;

    private final Placement placement = new Placement();

    /** {@return how many calls ran in place} */
    private int run(int calls, long ns) {
        int inPlace = 0;
        for (int i = 0; i < calls; i++) {
            if (placement.isInPlace()) {
                placement.onRun(ns);
                inPlace++;
            }
        }
        return inPlace;
    }

    @Test
    void shouldRunQuickCallsInPlace() {
        assertThat(run(1000, QUICK_NS)).isEqualTo(1000);
    }

    @Test
    void shouldKeepCallsThatBlockApart() {
        assertThat(run(100_000, BLOCKED_NS)).isLessThan(40);
    }

    @Test
    void shouldKeepCallsThatComputeForLongApart() {
        assertThat(run(100_000, 100_000)).isLessThan(100);
    }

    @Test
    void shouldComeBackWhenCallsAreQuickAgain() {
        run(10_000, BLOCKED_NS);

        assertThat(run(10_000, QUICK_NS)).isGreaterThan(5000);
    }

    /** One run in two thousand takes long: the thread was preempted. */
    @Test
    void shouldForgiveARareSlowRun() {
        int inPlace = 0;
        for (int i = 0; i < 50; i++) {
            inPlace += run(1, BLOCKED_NS) + run(2000, QUICK_NS);
        }

        assertThat(inPlace).isGreaterThan(95_000);
    }

    /** One run in a hundred blocks, for example for a cache that misses. */
    @Test
    void shouldKeepAMethodThatBlocksNowAndThenApart() {
        int slow = 0;
        for (int i = 0; i < 1_000_000; i++) {
            if (placement.isInPlace()) {
                boolean isSlow = i % 100 == 0;
                placement.onRun(isSlow ? BLOCKED_NS : QUICK_NS);
                slow += isSlow ? 1 : 0;
            }
        }

        assertThat(slow).as("calls that held up others").isLessThan(400);
    }
}
