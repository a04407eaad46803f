// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The expected texts are what the C program prints. */
final class PingDataTest {
    @ParameterizedTest
    @CsvSource({
        "0, 23, rdma-ping-0: ABCDEFGHI",
        "1, 23, rdma-ping-1: BCDEFGHIJ",
        "57, 24, rdma-ping-57: z'ABCDEFGH'",
        "58, 24, rdma-ping-58: ABCDEFGHI",
        "2147483647, 23, rdma-ping-2147483647: ",
    })
    void shouldMakeTheTextOfTheCProgram(int ping, int size, String text) {
        byte[] data = PingData.of(ping, size);

        assertThat(data).hasSize(size).endsWith(0);
        assertThat(PingData.text(MemorySegment.ofArray(data)).strip())
                .isEqualTo(text.replace("'", "").strip());
    }

    @Test
    void shouldRollOverInsideALongPing() {
        String text = PingData.text(MemorySegment.ofArray(PingData.of(0, 100)));

        assertThat(text)
                .hasSize(99)
                .isEqualTo(
                        "rdma-ping-0: ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"
                                + "ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\");
    }

    @Test
    void shouldRefuseDataWithoutItsEnd() {
        byte[] data = PingData.of(3, 64);
        data[63] = 'x';

        assertThatThrownBy(() -> PingData.textLength(MemorySegment.ofArray(data)))
                .isInstanceOf(ToolException.class)
                .hasMessage("ping data: 64 bytes (expected: a NUL at their end)");
    }
}
