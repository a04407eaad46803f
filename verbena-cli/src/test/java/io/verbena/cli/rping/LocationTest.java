// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LocationTest {
    private static final byte[] WIRE = {
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x11, 0x12, 0x13, 0x14, 0, 0, 1, 0
    };
    private static final Location LOCATION = new Location(0x0102030405060708L, 0x11121314, 256);

    @Test
    void shouldTravelBigEndian() {
        byte[] bytes = new byte[Location.SIZE];

        LOCATION.write(MemorySegment.ofArray(bytes));

        assertThat(bytes).isEqualTo(WIRE);
        assertThat(Location.read(MemorySegment.ofArray(WIRE), WIRE.length)).isEqualTo(LOCATION);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 15, 17})
    void shouldRefuseAnotherLength(int received) {
        assertThatThrownBy(() -> Location.read(MemorySegment.ofArray(WIRE), received))
                .isInstanceOf(ToolException.class)
                .hasMessage("Received bogus data, size " + received + " (expected: 16)");
    }
}
