// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Error texts for people. */
class ErrorTextTest {
    @Test
    void shouldNameTheCode() {
        assertThat(new RpcException(RpcError.ERPCTIMEDOUT, "[E1008]reached timeout=500ms"))
                .hasMessage("ERPCTIMEDOUT (1008): reached timeout=500ms");
    }

    @Test
    void shouldPutTheCauseFirstAndTheTriesAfterIt() {
        String text =
                "[E111]nobody listens at h:1 [R1][E112]not connected yet"
                        + " [R2][E112]not connected yet";

        assertThat(ErrorText.readable(111, text))
                .isEqualTo(
                        "ECONNREFUSED (111): nobody listens at h:1 (tried 3 times, then"
                                + " EHOSTDOWN (112): not connected yet)");
    }

    @Test
    void shouldSayOnceWhatEveryTryMet() {
        assertThat(ErrorText.readable(2004, "[E2004]full [R1][E2004]full"))
                .isEqualTo("ELIMIT (2004): full (tried 2 times)");
    }

    @Test
    void shouldPutTheServerLast() {
        assertThat(ErrorText.readable(1002, "[E1002][127.0.0.1:8000][E1002]no such method"))
                .isEqualTo("ENOMETHOD (1002): no such method [127.0.0.1:8000]");
    }

    @Test
    void shouldKeepAServicesOwnTextAndCode() {
        RpcException thrown = new RpcException(17, "no such user [E5]");

        assertThat(thrown).hasMessage("error 17: no such user [E5]");
        assertThat(thrown.text()).isEqualTo("no such user [E5]");
        assertThat(new RpcException(RpcError.EINVAL, null)).hasMessage("EINVAL (22)");
    }
}
