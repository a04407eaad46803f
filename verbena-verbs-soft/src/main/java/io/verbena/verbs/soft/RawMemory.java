// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * Native memory by absolute address, without the checks a segment makes on every access. Only for
 * the rings: their blocks are checked once when a wire is opened or attached, every offset inside a
 * block is bounded by the ring's own arithmetic, and a block stays mapped as long as a turn can
 * reach it. User memory is always accessed through its own segment.
 *
 * <p>The system property {@value #PROPERTY} switches checks on: every access must then lie in one
 * {@linkplain #know known} range whose memory is still there. This module's tests turn it on, so
 * that a stray access is an exception instead of a crash or silent corruption.
 */
final class RawMemory {
    /** If {@code true}, every access is checked. */
    static final String PROPERTY = "verbena.soft.checked";

    /**
     * The whole address space; a constant, so that the compiler has neither scope nor size to
     * check.
     */
    static final MemorySegment ALL = all();

    private static final boolean IS_CHECKED = Boolean.getBoolean(PROPERTY);
    private static final KnownRanges KNOWN = new KnownRanges();
    private static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle();
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private RawMemory() {}

    /** {@return whether the JVM was started with native access allowed} */
    static boolean isAllowed() {
        return ALL.byteSize() > 0;
    }

    @SuppressWarnings("restricted") // rings are addressed in the whole address space
    private static MemorySegment all() {
        try {
            return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
        } catch (IllegalCallerException e) {
            // no device will be opened, see isAllowed
            return MemorySegment.NULL;
        }
    }

    /** Allows checked access to a part of a segment, for as long as the segment lives. */
    static void know(MemorySegment segment, long offset, long bytes) {
        if (IS_CHECKED) {
            KNOWN.add(segment, offset, bytes);
        }
    }

    /**
     * {@return the address, for use with {@link #ALL}, after a check as for an access of that
     * length}
     */
    static long range(long address, long bytes) {
        if (IS_CHECKED) {
            KNOWN.check(address, bytes);
        }
        return address;
    }

    static long getLong(long address) {
        return ALL.get(ValueLayout.JAVA_LONG, range(address, Long.BYTES));
    }

    static int getInt(long address) {
        return ALL.get(ValueLayout.JAVA_INT, range(address, Integer.BYTES));
    }

    static void setLong(long address, long value) {
        ALL.set(ValueLayout.JAVA_LONG, range(address, Long.BYTES), value);
    }

    static void setInt(long address, int value) {
        ALL.set(ValueLayout.JAVA_INT, range(address, Integer.BYTES), value);
    }

    static long getLongAcquire(long address) {
        return (long) LONG.getAcquire(ALL, range(address, Long.BYTES));
    }

    static long getLongOpaque(long address) {
        return (long) LONG.getOpaque(ALL, range(address, Long.BYTES));
    }

    static void setLongRelease(long address, long value) {
        LONG.setRelease(ALL, range(address, Long.BYTES), value);
    }

    static boolean compareAndSetLong(long address, long expected, long value) {
        return LONG.compareAndSet(ALL, range(address, Long.BYTES), expected, value);
    }

    static int getIntAcquire(long address) {
        return (int) INT.getAcquire(ALL, range(address, Integer.BYTES));
    }

    static int getIntOpaque(long address) {
        return (int) INT.getOpaque(ALL, range(address, Integer.BYTES));
    }

    static void setIntRelease(long address, int value) {
        INT.setRelease(ALL, range(address, Integer.BYTES), value);
    }

    static void setIntVolatile(long address, int value) {
        INT.setVolatile(ALL, range(address, Integer.BYTES), value);
    }
}
