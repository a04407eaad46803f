// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;

/** The bytes of a region. */
interface RegionMemory extends AutoCloseable {
    /** {@return how many bytes} */
    long bytes();

    /** {@return the local key, or {@link BlockPool#NOT_REGISTERED}} */
    long lkey();

    /** {@return the key for peers; 0 if they have no access} */
    default int rkey() {
        return 0;
    }

    /**
     * {@return the segment that holds a block; called once per block}
     *
     * @param offset where in the region the block starts
     */
    MemorySegment segment(long offset);

    /**
     * {@return where in that segment the block starts}
     *
     * @param offset where in the region the block starts
     */
    long offsetInSegment(long offset);

    /** Gives the memory back; using it afterwards throws. */
    @Override
    void close();
}
