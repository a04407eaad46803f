// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A field of a C structure. Made by {@link CStruct#field} and stored in a constant of a layout
 * class, where the layout test finds it.
 *
 * @param struct the structure
 * @param name as C spells it after the dot
 * @param offset from the start of the structure
 * @param width in bytes
 */
record CField(CStruct struct, String name, long offset, int width) {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    /** {@return its value, a number or pointer; fields shorter than eight bytes are unsigned} */
    long get(MemorySegment memory) {
        return switch (width) {
            case 1 -> Byte.toUnsignedLong(memory.get(ValueLayout.JAVA_BYTE, offset));
            case 2 -> Short.toUnsignedLong(memory.get(SHORT, offset));
            case 4 -> Integer.toUnsignedLong(memory.get(INT, offset));
            case 8 -> memory.get(LONG, offset);
            default -> throw notANumber();
        };
    }

    /** {@return the lower 32 bits of its value, as a signed number} */
    int getInt(MemorySegment memory) {
        return (int) get(memory);
    }

    /** Stores a number or pointer, cut to the field's width. */
    void set(MemorySegment memory, long value) {
        switch (width) {
            case 1 -> memory.set(ValueLayout.JAVA_BYTE, offset, (byte) value);
            case 2 -> memory.set(SHORT, offset, (short) value);
            case 4 -> memory.set(INT, offset, (int) value);
            case 8 -> memory.set(LONG, offset, value);
            default -> throw notANumber();
        }
    }

    /** {@return the bytes of the field} */
    MemorySegment in(MemorySegment memory) {
        return memory.asSlice(offset, width);
    }

    private IllegalArgumentException notANumber() {
        return new IllegalArgumentException(
                struct.name() + "." + name + ": " + width + " bytes (expected: 1, 2, 4 or 8)");
    }
}
