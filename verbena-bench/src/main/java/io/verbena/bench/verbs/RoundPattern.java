// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Locale;

/** Bytes that differ between rounds and positions, so that lost or stale data is noticed. */
final class RoundPattern {
    private RoundPattern() {}

    /**
     * Fills memory.
     *
     * @param memory what to fill
     * @param round which round's bytes to write
     */
    static void fill(MemorySegment memory, int round) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, at(i, round));
        }
    }

    /**
     * Throws if memory does not hold a round's bytes.
     *
     * @param memory where to look
     * @param from where to start
     * @param length how many bytes
     * @param round which round's bytes to expect
     */
    static void check(MemorySegment memory, long from, long length, int round) {
        for (long i = from; i < from + length; i++) {
            byte found = memory.get(ValueLayout.JAVA_BYTE, i);
            if (found != at(i, round)) {
                throw new ToolException(
                        String.format(
                                Locale.ROOT,
                                "wrong data: byte %d of round %d is 0x%02x (expected: 0x%02x)",
                                i,
                                round,
                                found,
                                at(i, round)));
            }
        }
    }

    private static byte at(long offset, int round) {
        // Never 0, which is what cleared memory holds.
        long mixed = (offset + 1) * 0x9E3779B97F4A7C15L + round * 0xBF58476D1CE4E5B9L;
        return (byte) (mixed >>> 56 | 1);
    }
}
