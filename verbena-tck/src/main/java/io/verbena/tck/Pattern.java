// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/** Bytes that each depend on a seed and their position, so that no shift goes unnoticed. */
public final class Pattern {
    private static final ValueLayout.OfLong WORD =
            ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Pattern() {}

    /**
     * Fills memory.
     *
     * @param memory what to fill
     * @param seed which pattern
     */
    public static void fill(MemorySegment memory, long seed) {
        long size = memory.byteSize();
        long words = size >>> 3;
        for (long i = 0; i < words; i++) {
            memory.set(WORD, i << 3, word(seed, i));
        }
        for (long i = words << 3; i < size; i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, byteAt(seed, i));
        }
    }

    /**
     * {@return the pattern}
     *
     * @param seed which pattern
     * @param length how many bytes of it
     */
    public static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        fill(MemorySegment.ofArray(bytes), seed);
        return bytes;
    }

    /**
     * Asserts that memory holds the pattern.
     *
     * @param memory what to look at
     * @param seed which pattern
     */
    public static void verify(MemorySegment memory, long seed) {
        verify(memory, seed, 0);
    }

    /**
     * Asserts that memory holds a part of the pattern.
     *
     * @param memory what to look at
     * @param seed which pattern
     * @param from the position in the pattern of the memory's first byte
     */
    public static void verify(MemorySegment memory, long seed, long from) {
        long size = memory.byteSize();
        long i = 0;
        if ((from & 7) == 0) {
            long words = size >>> 3;
            while (i < words && memory.get(WORD, i << 3) == word(seed, (from >>> 3) + i)) {
                i++;
            }
            i <<= 3;
        }
        for (; i < size; i++) {
            byte expected = byteAt(seed, from + i);
            byte actual = memory.get(ValueLayout.JAVA_BYTE, i);
            if (actual != expected) {
                throw new AssertionError(
                        "byte "
                                + i
                                + " of "
                                + size
                                + ": "
                                + actual
                                + " (expected: "
                                + expected
                                + ")");
            }
        }
    }

    private static byte byteAt(long seed, long position) {
        return (byte) (word(seed, position >>> 3) >>> ((position & 7) << 3));
    }

    private static long word(long seed, long index) {
        long z = (seed << 40) + (index + 1) * 0x9e3779b97f4a7c15L;
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }
}
