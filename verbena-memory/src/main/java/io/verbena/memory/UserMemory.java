// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.MemoryRegion;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The user's memory, registered with the pool's device so that it can be sent without copying.
 *
 * <p>Ownership: the memory stays the user's and must stay alive until this is closed. It cannot be
 * closed while a buffer refers to it.
 *
 * <p>Threads: any.
 */
public final class UserMemory implements AutoCloseable {
    /** A bit in the reference count: no more references may be added. */
    private static final int CLOSED = Integer.MIN_VALUE;

    private final BlockPool pool;
    private final MemoryRegion region;
    private final MemorySegment memory;
    private final RangeTable.Range range;
    private final AtomicInteger references = new AtomicInteger();

    UserMemory(BlockPool pool, MemoryRegion region) {
        this.pool = pool;
        this.region = region;
        this.memory = region.memory();
        this.range =
                new RangeTable.Range(
                        region.address(), region.length(), Integer.toUnsignedLong(region.lkey()));
    }

    /** {@return the memory} */
    public MemorySegment memory() {
        return memory;
    }

    /** {@return its local key, an unsigned 32-bit number} */
    public long lkey() {
        return range.lkey();
    }

    RangeTable.Range range() {
        return range;
    }

    /** A buffer refers to the memory from now on. */
    void retain() {
        if (references.updateAndGet(count -> count < 0 ? count : count + 1) < 0) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** A buffer no longer refers to it. */
    void release() {
        references.updateAndGet(count -> count < 0 ? count : count - 1);
    }

    /**
     * Deregisters the memory.
     *
     * @throws IllegalStateException if buffers still refer to it
     */
    @Override
    public void close() {
        int held = references.compareAndExchange(0, CLOSED);
        if (held > 0) {
            throw new IllegalStateException(
                    this
                            + " is referred to by buffers: "
                            + held
                            + " (expected: none; wait for their release callbacks)");
        }
        if (held == 0) {
            deregister();
        }
    }

    /** Deregisters the memory even if buffers refer to it: the pool is being closed. */
    void closeWithPool() {
        if (references.getAndSet(CLOSED) != CLOSED) {
            deregister();
        }
    }

    private void deregister() {
        pool.forget(this);
        region.close();
    }

    @Override
    public String toString() {
        return "user memory at 0x" + Long.toHexString(range.address());
    }
}
