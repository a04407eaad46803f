// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies bytes between segments, word by word where that is cheaper than the general copy. */
final class ByteCopy {
    private static final int SMALL = 64;

    private ByteCopy() {}

    /** {@return false if the owner has freed the memory} */
    static boolean tryCopy(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int length) {
        try {
            copy(from, fromOffset, to, toOffset, length);
            return true;
        } catch (IllegalStateException e) {
            // the arena of registered memory was closed: report a protection error, do not throw
            return false;
        }
    }

    static void copy(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, int length) {
        if (length > SMALL) {
            MemorySegment.copy(from, fromOffset, to, toOffset, length);
            return;
        }
        int done = 0;
        for (; done + Long.BYTES <= length; done += Long.BYTES) {
            to.set(
                    ValueLayout.JAVA_LONG_UNALIGNED,
                    toOffset + done,
                    from.get(ValueLayout.JAVA_LONG_UNALIGNED, fromOffset + done));
        }
        for (; done < length; done++) {
            to.set(
                    ValueLayout.JAVA_BYTE,
                    toOffset + done,
                    from.get(ValueLayout.JAVA_BYTE, fromOffset + done));
        }
    }
}
