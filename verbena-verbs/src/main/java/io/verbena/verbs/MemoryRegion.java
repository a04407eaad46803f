// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Registered memory and its keys; {@code ibv_mr}. */
public interface MemoryRegion extends AutoCloseable {
    /** {@return the memory; valid until the region or the caller's arena is closed} */
    MemorySegment memory();

    /** {@return the virtual address of its first byte} */
    long address();

    /** {@return its length in bytes} */
    long length();

    /** {@return the key for use in local elements} */
    int lkey();

    /** {@return the key to give to peers; 0 if no remote access was asked for} */
    int rkey();

    /** {@return what access is allowed} */
    Set<AccessFlag> access();

    /**
     * Deregisters; {@code ibv_dereg_mr}. When it returns, no peer can reach the memory any more,
     * and any access that was under way has ended.
     */
    @Override
    void close();
}
