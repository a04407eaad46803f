// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * A C structure as the headers define it. A test finds every constant of this type in the layout
 * classes and compares it with the C compiler's answer.
 *
 * @param name as C spells its type, such as {@code struct ibv_mr}
 * @param size in bytes
 */
record CStruct(String name, long size) {
    private static final long ALIGNMENT = 16;

    /**
     * {@return one of its fields}
     *
     * @param field as C spells it after the dot; a field of a field is {@code outer.inner}
     * @param offset from the start of the structure
     * @param width in bytes; 1, 2, 4 or 8 for a number or pointer
     */
    CField field(String field, long offset, int width) {
        return new CField(this, field, offset, width);
    }

    /** {@return a zeroed structure} */
    MemorySegment allocate(Arena arena) {
        return arena.allocate(size, ALIGNMENT);
    }

    /**
     * {@return the structure at an address that a library gave us}
     *
     * @param address not 0; valid for as long as the library says
     */
    MemorySegment at(long address) {
        if (address == 0) {
            throw new IllegalArgumentException(name + ": NULL (expected: an address)");
        }
        return memory(address, size);
    }

    /**
     * {@return memory at an address that a library gave us}
     *
     * @param address valid for as long as the library says
     * @param length in bytes
     */
    // Restricted, because nothing proves that the address is valid; it comes from the library.
    @SuppressWarnings("restricted")
    static MemorySegment memory(long address, long length) {
        return MemorySegment.ofAddress(address).reinterpret(length);
    }
}
