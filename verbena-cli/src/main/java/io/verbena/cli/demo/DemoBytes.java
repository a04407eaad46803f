// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Bytes that can be verified: a fixed sequence, and stamps that make each message different. */
final class DemoBytes {
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int PAGE = 4096;

    private DemoBytes() {}

    static void fill(MemorySegment memory) {
        long value = STEP;
        for (long offset = 0; offset < memory.byteSize(); offset += Long.BYTES) {
            memory.set(ValueLayout.JAVA_LONG, offset, value ^ (value >>> 32));
            value += STEP;
        }
    }

    /**
     * Puts a number at the start of every page, so that a message that was not moved is noticed.
     *
     * @param memory what to mark
     * @param size how many bytes of it
     * @param stamp the number
     */
    static void stamp(MemorySegment memory, int size, long stamp) {
        for (int offset = 0; offset < size; offset += PAGE) {
            memory.set(ValueLayout.JAVA_LONG, offset, stamp ^ offset);
        }
    }

    /**
     * Compares every byte.
     *
     * @param what the operation, for the message
     * @param expected what should have arrived
     * @param found what did
     * @param size how many bytes of both
     * @throws IllegalStateException if they differ
     */
    static void check(String what, MemorySegment expected, MemorySegment found, int size) {
        long at = MemorySegment.mismatch(expected, 0, size, found, 0, size);
        if (at >= 0) {
            throw new IllegalStateException(
                    what + ": byte " + at + " of " + size + " differs from what was sent");
        }
    }
}
