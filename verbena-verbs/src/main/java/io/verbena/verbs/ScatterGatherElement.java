// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Locale;

/**
 * A piece of local memory a work request reads or writes; {@code ibv_sge}. A view over the work
 * request's own native memory: setting it patches the request.
 *
 * <pre>
 *  0        8        12     16
 *  | address | length | lkey |
 * </pre>
 */
public final class ScatterGatherElement {
    static final int SIZE = 16;

    private static final long ADDRESS = 0;
    private static final long LENGTH = 8;
    private static final long LKEY = 12;

    /** Both in one access. A big-endian host would swap the halves, but no verbs host is one. */
    private static final ValueLayout.OfLong LENGTH_AND_KEY =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final MemorySegment memory;
    private final long base;

    ScatterGatherElement(MemorySegment memory, long base) {
        this.memory = memory;
        this.base = base;
    }

    /**
     * Points the element at a part of a memory region.
     *
     * @param region the region that holds the bytes
     * @param offset where they start inside it
     * @param length how many
     * @return this
     */
    public ScatterGatherElement set(MemoryRegion region, long offset, int length) {
        return set(region.address() + offset, length, region.lkey());
    }

    /**
     * Points the element at memory.
     *
     * @param address the virtual address
     * @param length how many bytes; an unsigned 32-bit number as in C
     * @param lkey the local key of the region that covers it
     * @return this
     */
    public ScatterGatherElement set(long address, int length, int lkey) {
        memory.set(ValueLayout.JAVA_LONG, base + ADDRESS, address);
        memory.set(ValueLayout.JAVA_INT, base + LENGTH, length);
        memory.set(ValueLayout.JAVA_INT, base + LKEY, lkey);
        return this;
    }

    /** {@return the virtual address} */
    public long address() {
        return memory.get(ValueLayout.JAVA_LONG, base + ADDRESS);
    }

    /** {@return the length in bytes, an unsigned 32-bit number} */
    public int length() {
        return memory.get(ValueLayout.JAVA_INT, base + LENGTH);
    }

    /** {@return the length in the low and the local key in the high half, in one access} */
    public long lengthAndKey() {
        return memory.get(LENGTH_AND_KEY, base + LENGTH);
    }

    /** {@return the local key} */
    public int lkey() {
        return memory.get(ValueLayout.JAVA_INT, base + LKEY);
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "sge[address=0x%x length=%d lkey=0x%x]",
                address(),
                Integer.toUnsignedLong(length()),
                lkey());
    }
}
