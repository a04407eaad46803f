// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;

/**
 * Native memory by absolute address, without the checks a segment makes on every access. For the
 * rings alone: their blocks are checked once when a wire is opened or attached, every offset inside
 * a block is bounded by the ring's own arithmetic, and a block stays mapped as long as a turn can
 * reach it. Memory that users bring is always reached through its own segment.
 */
final class RawMemory {
    /** All of it; a constant, so that the compiler sees neither scope nor size to check. */
    static final MemorySegment ALL = all();

    private RawMemory() {}

    /** {@return whether the caller of the virtual machine has allowed native access} */
    static boolean isAllowed() {
        return ALL.byteSize() > 0;
    }

    @SuppressWarnings("restricted") // the whole address space is what rings are addressed in
    private static MemorySegment all() {
        try {
            return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        } catch (IllegalCallerException e) {
            // no device will be opened, see isAllowed
            return MemorySegment.NULL;
        }
    }
}
