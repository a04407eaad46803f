// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

final class MessageTextTest {
    private final byte[] bytes = new byte[MessageText.BUFFER_SIZE];
    private final MemorySegment buffer = MemorySegment.ofArray(bytes);

    @Test
    void shouldKeepChineseText() {
        String text = "你好，我在测试RDMA SEND DEMO，可以看到我的消息吗？";

        MessageText.put(buffer, text);

        assertThat(MessageText.get(buffer)).isEqualTo(text);
    }

    @Test
    void shouldEndTextWithNulWhateverTheBufferHeld() {
        Arrays.fill(bytes, (byte) 'x');

        MessageText.put(buffer, "abc");

        assertThat(bytes).startsWith('a', 'b', 'c', 0, 'x');
        assertThat(MessageText.get(buffer)).isEqualTo("abc");
    }

    @Test
    void shouldTakeTextThatFillsTheBuffer() {
        String text = "y".repeat(1023);

        MessageText.put(buffer, text);

        assertThat(MessageText.get(buffer)).isEqualTo(text);
    }

    @Test
    void shouldCountBytesNotCharacters() {
        String text = "好".repeat(342);

        assertThatThrownBy(() -> MessageText.check(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("message: 1026 bytes (expected: at most 1023)");
    }

    @Test
    void shouldReadABufferWithoutNul() {
        Arrays.fill(bytes, (byte) 'z');

        assertThat(MessageText.get(buffer)).isEqualTo("z".repeat(1024));
    }
}
