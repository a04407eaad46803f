// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The native memory of a work request: the C structure, then its scatter/gather elements. */
final class WorkRequestMemory {
    private static final int MAX_ELEMENTS = 256;
    private static final long CACHE_LINE = 64;

    private WorkRequestMemory() {}

    static MemorySegment allocate(Arena arena, int structSize, int maxElements) {
        if (maxElements < 0 || maxElements > MAX_ELEMENTS) {
            throw new IllegalArgumentException(
                    "maxElements: " + maxElements + " (expected: 0.." + MAX_ELEMENTS + ")");
        }
        return arena.allocate(
                structSize + (long) maxElements * ScatterGatherElement.SIZE, CACHE_LINE);
    }

    static ScatterGatherElement[] elements(MemorySegment memory, int structSize, int maxElements) {
        ScatterGatherElement[] elements = new ScatterGatherElement[maxElements];
        for (int i = 0; i < maxElements; i++) {
            elements[i] =
                    new ScatterGatherElement(
                            memory, structSize + (long) i * ScatterGatherElement.SIZE);
        }
        return elements;
    }

    static void checkCount(int count, int max) {
        if (count < 0 || count > max) {
            throw new IllegalArgumentException(
                    "elementCount: " + count + " (expected: 0.." + max + ")");
        }
    }
}
