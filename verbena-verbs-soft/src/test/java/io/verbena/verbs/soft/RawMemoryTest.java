// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

/** Needs {@value RawMemory#PROPERTY}, which this module's tests run with. */
class RawMemoryTest {
    @Test
    void shouldReachKnownMemory() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(128, 64);
            RawMemory.know(memory, 64, 64);

            RawMemory.setLong(memory.address() + 120, 7);

            assertThat(RawMemory.getLongAcquire(memory.address() + 120)).isEqualTo(7);
        }
    }

    @Test
    void shouldRefuseAnAccessThatEndsBehindAKnownRange() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(128, 64);
            RawMemory.know(memory, 0, 64);

            assertThatThrownBy(() -> RawMemory.setLong(memory.address() + 64, 7))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("8 bytes (expected: inside one of");
            assertThatThrownBy(() -> RawMemory.range(memory.address() + 32, 33))
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(memory.get(ValueLayout.JAVA_LONG, 64)).isZero();
        }
    }

    @Test
    void shouldRefuseMemoryThatIsGone() {
        long address;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(64, 64);
            RawMemory.know(memory, 0, 64);
            address = memory.address();
        }

        assertThatThrownBy(() -> RawMemory.getInt(address))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
