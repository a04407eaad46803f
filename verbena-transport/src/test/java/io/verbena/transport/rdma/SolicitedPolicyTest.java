// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SolicitedPolicyTest {
    private final SolicitedPolicy policy = new SolicitedPolicy(125, 125);

    @Test
    void shouldWakeWithTheLastWrite() {
        assertThat(policy.next(100, true, 8, 0)).isTrue();
    }

    @Test
    void shouldWakeWhenTheWindowCloses() {
        assertThat(policy.next(1, false, 8, 0)).isTrue();
        assertThat(policy.next(2, false, 8, 0)).isFalse();
    }

    @Test
    void shouldWakeAfterAQuarterOfTheWindow() {
        for (int i = 0; i < 32; i++) {
            assertThat(policy.next(100, false, 8, 0)).isFalse();
        }
        assertThat(policy.next(100, false, 8, 0)).isTrue();
        assertThat(policy.next(100, false, 8, 0)).isFalse();
    }

    @Test
    void shouldWakeAfterAQuarterOfTheCredits() {
        assertThat(policy.next(100, false, 8, 31)).isFalse();
        assertThat(policy.next(100, false, 8, 1)).isFalse();
        assertThat(policy.next(100, false, 8, 0)).isTrue();
    }

    @Test
    void shouldWakeAfterAMebibyte() {
        assertThat(policy.next(100, false, SolicitedPolicy.MAX_UNSOLICITED_BYTES, 0)).isFalse();
        assertThat(policy.next(100, false, 1, 0)).isFalse();
        assertThat(policy.next(100, false, 1, 0)).isTrue();
    }
}
