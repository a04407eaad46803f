// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * A checked piece of memory: the result of a key look-up, reused so that look-ups allocate nothing.
 */
final class MemorySlice {
    private MemorySegment memory = MemorySegment.NULL;
    private long offset;

    void set(MemorySegment segment, long start) {
        memory = segment;
        offset = start;
    }

    MemorySegment memory() {
        return memory;
    }

    long offset() {
        return offset;
    }
}
