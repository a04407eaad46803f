// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.tools.ToolException;
import io.verbena.verbs.Gid;
import io.verbena.verbs.QueuePairAddress;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class AddressTextTest {
    private static final QueuePairAddress ADDRESS =
            new QueuePairAddress(
                    Gid.parse("0000:0000:0000:0000:0000:ffff:0a00:0002"), 0x12, 0xABCDEF, 0x42);
    private static final String WIRE = "0012:abcdef:000042:00000000000000000000ffff0a000002\0";

    @Test
    void shouldWriteWhatTheCProgramReads() {
        assertThat(new String(AddressText.encode(ADDRESS), StandardCharsets.US_ASCII))
                .isEqualTo(WIRE)
                .hasSize(AddressText.LENGTH);
    }

    @Test
    void shouldReadWhatTheCProgramWrites() {
        assertThat(AddressText.decode(bytes(WIRE))).isEqualTo(ADDRESS);
    }

    @Test
    void shouldPrintWhatTheCProgramPrints() {
        assertThat(AddressText.describe(ADDRESS))
                .isEqualTo("LID 0x0012, QPN 0xabcdef, PSN 0x000042, GID ::ffff:10.0.0.2");
    }

    @Test
    void shouldShowNothingOfAPeerThatATerminalWouldObey() {
        assertThatThrownBy(() -> AddressText.decode(bytes("\u001b[2J" + WIRE.substring(4))))
                .isInstanceOf(ToolException.class)
                .hasMessageStartingWith("the peer's address: '?[2J:abcdef:");
    }

    /** Whatever a peer says is an address or a {@link ToolException}, never anything else. */
    @Test
    void shouldSurviveAnyBytes() {
        Random random = new Random(1);
        byte[] right = bytes(WIRE);
        for (int i = 0; i < 100_000; i++) {
            byte[] wrong = right.clone();
            int changes = 1 + random.nextInt(4);
            for (int c = 0; c < changes; c++) {
                wrong[random.nextInt(wrong.length)] = (byte) random.nextInt(256);
            }
            try {
                QueuePairAddress address = AddressText.decode(wrong);
                assertThat(AddressText.decode(AddressText.encode(address))).isEqualTo(address);
            } catch (ToolException e) {
                assertThat(e).hasMessageStartingWith("the peer's address: ");
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }
}
