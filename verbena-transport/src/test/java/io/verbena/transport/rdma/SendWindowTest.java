// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SendWindowTest {
    @Test
    void shouldKeepThreePlacesForAcknowledgements() {
        assertThat(open(128, 128).capacity()).isEqualTo(125);
        assertThat(open(128, 16).capacity()).isEqualTo(13);
        assertThat(open(16, 4096).capacity()).isEqualTo(13);
    }

    @Test
    void shouldCloseBothWindowsByPosting() {
        SendWindow window = open(16, 16);

        for (int i = 0; i < 13; i++) {
            window.postRelease();
        }

        assertThat(window.sendRoomAcquire()).isZero();
        assertThat(window.remoteRoomAcquire()).isZero();
    }

    @Test
    void shouldOpenEachWindowByItsOwnReturns() {
        SendWindow window = open(16, 16);
        for (int i = 0; i < 13; i++) {
            window.postRelease();
        }

        window.completeRelease(5);
        boolean isCredited = window.tryCredit(7);

        assertThat(isCredited).isTrue();
        assertThat(window.sendRoomAcquire()).isEqualTo(5);
        assertThat(window.remoteRoomAcquire()).isEqualTo(7);
    }

    @Test
    void shouldRefuseCreditsForWhatWasNeverSent() {
        SendWindow window = open(16, 16);
        window.postRelease();
        window.postRelease();

        assertThat(window.tryCredit(3)).isFalse();
        assertThat(window.tryCredit(-1)).isFalse();
        assertThat(window.tryCredit(Integer.MAX_VALUE)).isFalse();
        assertThat(window.tryCredit(2)).isTrue();
        assertThat(window.tryCredit(1)).isFalse();
        assertThat(window.remoteRoomAcquire()).isEqualTo(13);
    }

    private static SendWindow open(int own, int peers) {
        SendWindow opened = new SendWindow();
        opened.open(own, peers);
        return opened;
    }
}
