// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class RoundPatternTest {
    @Test
    void shouldFindWhatItFilledAndNothingElse() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4096);
            RoundPattern.fill(memory, 3);

            assertThatCode(() -> RoundPattern.check(memory, 0, 4096, 3)).doesNotThrowAnyException();
            assertThatThrownBy(() -> RoundPattern.check(memory, 0, 4096, 4))
                    .isInstanceOf(ToolException.class)
                    .hasMessageContaining("wrong data");
        }
    }

    @Test
    void shouldNoticeMemoryThatWasNeverWritten() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);

            assertThatThrownBy(() -> RoundPattern.check(memory, 8, 1, 1))
                    .hasMessageContaining("0x00");
        }
    }

    @Test
    void shouldNoticeASingleWrongByte() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            RoundPattern.fill(memory, 1);
            byte good = memory.get(ValueLayout.JAVA_BYTE, 63);
            memory.set(ValueLayout.JAVA_BYTE, 63, (byte) (good + 2));

            assertThatThrownBy(() -> RoundPattern.check(memory, 0, 64, 1))
                    .hasMessageContaining("byte 63");
        }
    }
}
