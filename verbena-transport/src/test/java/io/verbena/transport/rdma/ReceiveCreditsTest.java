// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReceiveCreditsTest {
    @Test
    void shouldBeDueAboveHalfAWindowAndCarryBrpcsSixtyFour() {
        ReceiveCredits credits = open(128, 128);

        credits.repostRelease(63);
        boolean isDueBefore = credits.isAcknowledgementDue();
        credits.repostRelease(1);

        assertThat(isDueBefore).isFalse();
        assertThat(credits.isAcknowledgementDue()).isTrue();
        assertThat(credits.take()).isEqualTo(64);
        assertThat(credits.isAcknowledgementDue()).isFalse();
    }

    @Test
    void shouldReportEachReceiveOnce() {
        ReceiveCredits credits = open(16, 16);
        credits.repostRelease(5);

        assertThat(credits.take()).isEqualTo(5);
        assertThat(credits.take()).isZero();
        credits.repostRelease(2);
        assertThat(credits.unreported()).isEqualTo(2);
        assertThat(credits.take()).isEqualTo(2);
    }

    @Test
    void shouldNotBeDueWithoutAFreePlace() {
        ReceiveCredits credits = open(16, 16);
        for (int i = 0; i < SendWindow.RESERVED; i++) {
            credits.sendRelease();
        }
        credits.repostRelease(13);

        boolean isDueWhileFull = credits.isAcknowledgementDue();
        credits.acknowledgeRelease();

        assertThat(isDueWhileFull).isFalse();
        assertThat(credits.isAcknowledgementDue()).isTrue();
    }

    private static ReceiveCredits open(int own, int peers) {
        ReceiveCredits opened = new ReceiveCredits();
        opened.open(own, peers);
        return opened;
    }
}
