// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ReceiveStateTest {
    @Test
    void shouldTakeMemoryThenDone() {
        ReceiveState first = ReceiveState.RS_INIT.next(ControlMessage.Type.MSG_MR);
        ReceiveState second = first.next(ControlMessage.Type.MSG_DONE);

        assertThat(first).isEqualTo(ReceiveState.RS_MR_RECV);
        assertThat(second).isEqualTo(ReceiveState.RS_DONE_RECV);
    }

    @ParameterizedTest
    @CsvSource({
        "RS_INIT, MSG_DONE",
        "RS_MR_RECV, MSG_MR",
        "RS_DONE_RECV, MSG_MR",
        "RS_DONE_RECV, MSG_DONE"
    })
    void shouldRefuseAnyOtherOrder(ReceiveState state, ControlMessage.Type type) {
        assertThatThrownBy(() -> state.next(type))
                .isInstanceOf(ExampleException.class)
                .hasMessage(
                        "control message: %s in %s (expected: MSG_MR, then MSG_DONE)", type, state);
    }
}
