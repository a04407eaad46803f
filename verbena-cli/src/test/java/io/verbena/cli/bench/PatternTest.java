// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

final class PatternTest {
    @Test
    void shouldFindWhatItFilledAndNothingElse() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(4096);
            Pattern.fill(memory, 3);

            assertThatCode(() -> Pattern.check(memory, 0, 4096, 3)).doesNotThrowAnyException();
            assertThatThrownBy(() -> Pattern.check(memory, 0, 4096, 4))
                    .isInstanceOf(BenchException.class)
                    .hasMessageContaining("wrong data");
        }
    }

    @Test
    void shouldNoticeMemoryThatWasNeverWritten() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);

            assertThatThrownBy(() -> Pattern.check(memory, 8, 1, 1)).hasMessageContaining("0x00");
        }
    }

    @Test
    void shouldNoticeASingleWrongByte() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64);
            Pattern.fill(memory, 1);
            byte good = memory.get(ValueLayout.JAVA_BYTE, 63);
            memory.set(ValueLayout.JAVA_BYTE, 63, (byte) (good + 2));

            assertThatThrownBy(() -> Pattern.check(memory, 0, 64, 1))
                    .hasMessageContaining("byte 63");
        }
    }
}
