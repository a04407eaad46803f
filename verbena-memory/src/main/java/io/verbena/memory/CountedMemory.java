// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Memory that is given back when its last reference is dropped.
 *
 * <p>Any thread that holds a reference may add or drop one. Dropping has release and acquire
 * semantics: what was read or written before the last drop is over when the memory is given back.
 */
abstract sealed class CountedMemory permits Block, UserData {
    private static final VarHandle REFERENCES;

    static {
        try {
            REFERENCES =
                    MethodHandles.lookup()
                            .findVarHandle(CountedMemory.class, "references", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final MemorySegment base;
    private final long start;
    private final long address;
    private volatile int references;

    CountedMemory(MemorySegment base, long start) {
        this.base = base;
        this.start = start;
        this.address = base.address() + start;
    }

    /** {@return the segment the memory is a part of} */
    final MemorySegment base() {
        return base;
    }

    /** {@return where in {@link #base} it starts} */
    final long start() {
        return start;
    }

    /** {@return the virtual address of its first byte} */
    public final long address() {
        return address;
    }

    /** {@return how many references are held} */
    public final int references() {
        return references;
    }

    /** Starts again with one reference; nobody but the caller knows the memory. */
    final void firstReference() {
        // a plain write: handing the memory to another thread publishes this as well
        REFERENCES.set(this, 1);
    }

    /** Adds references; the caller already holds one. */
    final void addReferences(int count) {
        int before = (int) REFERENCES.getAndAdd(this, count);
        if (before <= 0) {
            REFERENCES.getAndAdd(this, -count);
            throw new IllegalStateException(
                    this + " is used after its release (expected: a reference is held)");
        }
    }

    /** {@return whether this was the last reference, and the memory has been given back} */
    final boolean dropReference() {
        int before = (int) REFERENCES.getAndAdd(this, -1);
        if (before > 1) {
            return false;
        }
        if (before < 1) {
            REFERENCES.getAndAdd(this, 1);
            throw new IllegalStateException(
                    this + " is released twice (expected: one release per reference)");
        }
        giveBack();
        return true;
    }

    /** {@return the local key that came with the memory, or {@link BlockPool#NOT_REGISTERED}} */
    abstract long lkey();

    /** Called when the last reference is gone. */
    abstract void giveBack();
}
