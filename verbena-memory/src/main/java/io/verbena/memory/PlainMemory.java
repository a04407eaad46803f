// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.Errno;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A region that no device knows. Java zeroes, and so commits, whatever an arena allocates; so the
 * region is allocated slab by slab, as blocks are first used.
 */
final class PlainMemory implements RegionMemory {
    private static final long SLAB = BlockType.HUGE.bytes();
    private static final long PAGE = 4096;

    private final long bytes;
    private final Arena arena = Arena.ofShared();
    private final ReentrantLock lock = new ReentrantLock();
    private final MemorySegment[] slabs;

    PlainMemory(long bytes) {
        this.bytes = bytes;
        this.slabs = new MemorySegment[Math.toIntExact((bytes + SLAB - 1) / SLAB)];
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long lkey() {
        return BlockPool.NOT_REGISTERED;
    }

    @Override
    public MemorySegment segment(long offset) {
        int slab = (int) (offset / SLAB);
        lock.lock();
        try {
            if (slabs[slab] == null) {
                slabs[slab] = arena.allocate(Math.min(SLAB, bytes - slab * SLAB), PAGE);
            }
            return slabs[slab];
        } catch (OutOfMemoryError e) {
            throw new BlockPoolException(
                    Errno.ENOMEM,
                    "the process has no more native memory; raise -XX:MaxDirectMemorySize or"
                            + " release blocks",
                    e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long offsetInSegment(long offset) {
        return offset % SLAB;
    }

    @Override
    public void close() {
        arena.close();
    }
}
