// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.BytesValue;
import org.junit.jupiter.api.Test;

/** Messages in modules that do not open them. */
class SealedMessagesTest {
    @Test
    void shouldAcceptAnOpenPackage() {
        assertThatCode(() -> SealedMessages.check(BytesValue.getDefaultInstance()))
                .doesNotThrowAnyException();
    }

    @Test
    void shouldSayWhatToWriteAndWhere() {
        assertThatThrownBy(() -> SealedMessages.check(String.class, getClass().getModule()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("module-info.java of java.base write: opens java.lang to ");
    }
}
