// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SignalingPolicyTest {
    @Test
    void shouldSignalEachQuarterOfTheWindow() {
        SignalingPolicy policy = new SignalingPolicy(125);

        for (int i = 1; i < 31; i++) {
            assertThat(policy.next(false, true)).isZero();
        }

        assertThat(policy.next(false, true)).isEqualTo(31);
        assertThat(policy.unsignaled()).isZero();
    }

    @Test
    void shouldSignalTheLastOfABurstThatPinsMemory() {
        SignalingPolicy policy = new SignalingPolicy(125);
        policy.next(false, true);

        assertThat(policy.next(true, true)).isEqualTo(2);
    }

    @Test
    void shouldSignalALastInlineMessageIfOneBeforeItPinsMemory() {
        SignalingPolicy policy = new SignalingPolicy(125);
        policy.next(false, true);

        assertThat(policy.next(true, false)).isEqualTo(2);
    }

    @Test
    void shouldNotSignalLoneInlineMessagesBeforeTheQuarter() {
        SignalingPolicy policy = new SignalingPolicy(125);

        for (int i = 1; i < 31; i++) {
            assertThat(policy.next(true, false)).isZero();
        }

        assertThat(policy.next(true, false)).isEqualTo(31);
    }

    @Test
    void shouldSignalEveryMessageOfATinyWindow() {
        SignalingPolicy policy = new SignalingPolicy(3);

        assertThat(policy.next(false, false)).isEqualTo(1);
        assertThat(policy.next(false, false)).isEqualTo(1);
    }
}
