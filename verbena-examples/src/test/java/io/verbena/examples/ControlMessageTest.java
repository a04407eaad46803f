// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

final class ControlMessageTest {
    /** What x86-64 lays out for MSG_MR, address 0x5638f0daab10, length 1024, rkey 0x1ff7b5. */
    private static final String MSG_MR =
            "0000000000000000" // type, padding
                    + "0000000000000000" // context
                    + "0000000000000000" // pd
                    + "10abdaf038560000" // addr
                    + "0004000000000000" // length
                    + "0000000000000000" // handle, lkey
                    + "b5f71f0000000000"; // rkey, padding

    private static final String MSG_DONE = "01000000" + "00".repeat(52);

    @Test
    void shouldLayOutAMemoryRegionAsCDoes() {
        byte[] bytes = dirty();

        new ControlMessage(ControlMessage.Type.MSG_MR, 0x5638f0daab10L, 1024, 0x1ff7b5)
                .write(MemorySegment.ofArray(bytes));

        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(MSG_MR);
    }

    @Test
    void shouldLayOutDoneAsCDoes() {
        byte[] bytes = dirty();

        ControlMessage.done().write(MemorySegment.ofArray(bytes));

        assertThat(HexFormat.of().formatHex(bytes)).isEqualTo(MSG_DONE);
    }

    @Test
    void shouldReadAMemoryRegionWhateverFieldsNobodyNeedsHold() {
        byte[] bytes = HexFormat.of().parseHex(MSG_MR);
        Arrays.fill(bytes, 4, 24, (byte) 0x7f);
        Arrays.fill(bytes, 40, 48, (byte) 0x7f);
        Arrays.fill(bytes, 52, 56, (byte) 0x7f);

        ControlMessage message = ControlMessage.read(MemorySegment.ofArray(bytes), bytes.length);

        assertThat(message)
                .isEqualTo(
                        new ControlMessage(
                                ControlMessage.Type.MSG_MR, 0x5638f0daab10L, 1024, 0x1ff7b5));
    }

    @Test
    void shouldReadDone() {
        byte[] bytes = HexFormat.of().parseHex(MSG_DONE);

        ControlMessage message = ControlMessage.read(MemorySegment.ofArray(bytes), bytes.length);

        assertThat(message).isEqualTo(ControlMessage.done());
    }

    @Test
    void shouldRefuseAnotherSize() {
        assertThatThrownBy(() -> ControlMessage.read(MemorySegment.ofArray(dirty()), 12))
                .isInstanceOf(ExampleException.class)
                .hasMessage("control message: 12 bytes (expected: 56)");
    }

    @Test
    void shouldRefuseAnotherType() {
        assertThatThrownBy(() -> ControlMessage.read(MemorySegment.ofArray(dirty()), 56))
                .isInstanceOf(ExampleException.class)
                .hasMessageStartingWith("control message type: -1 (expected:");
    }

    private static byte[] dirty() {
        byte[] bytes = new byte[ControlMessage.SIZE];
        Arrays.fill(bytes, (byte) 0xff);
        return bytes;
    }
}
