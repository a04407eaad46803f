// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;

/** A region that a device knows. */
final class RegisteredMemory implements RegionMemory {
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final long lkey;

    RegisteredMemory(MemoryRegion region) {
        this.region = region;
        this.memory = region.memory();
        this.lkey = Integer.toUnsignedLong(region.lkey());
    }

    @Override
    public long bytes() {
        return memory.byteSize();
    }

    @Override
    public long lkey() {
        return lkey;
    }

    @Override
    public int rkey() {
        return region.rkey();
    }

    @Override
    public MemorySegment segment(long offset) {
        return memory;
    }

    @Override
    public long offsetInSegment(long offset) {
        return offset;
    }

    @Override
    public void close() {
        region.close();
    }
}
