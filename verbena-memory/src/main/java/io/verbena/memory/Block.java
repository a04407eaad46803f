// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * A piece of a pool's memory, of one of the sizes of {@link BlockType}.
 *
 * <p>Ownership: {@link BlockPool#allocate} hands it out with one reference. The holder of a
 * reference may use the memory, may {@link #retain} another reference, and must {@link #release}
 * its own; the last release returns the block to the pool. An {@link IOBuf} holds references to the
 * blocks it is made of.
 *
 * <p>Threads: references are counted atomically. The holders must make sure that two threads do not
 * write the same bytes.
 *
 * <p>Failure: a release without a reference throws, as long as the block has not been handed out
 * again; after that it would release the new holder's reference.
 */
public final class Block extends CountedMemory {
    private final Part part;
    private final int capacity;
    private BlockHistory history = BlockHistory.NONE;

    Block(Part part, MemorySegment base, long start) {
        super(base, start);
        this.part = part;
        this.capacity = part.region().type().bytes();
    }

    Part part() {
        return part;
    }

    /** {@return its type} */
    public BlockType type() {
        return part.region().type();
    }

    /** {@return how many bytes it has} */
    public int capacity() {
        return capacity;
    }

    /** {@return the pool it came from and goes back to} */
    public BlockPool pool() {
        return part.region().pool();
    }

    /** {@return its memory; valid as long as a reference is held} */
    public MemorySegment memory() {
        return base().asSlice(start(), capacity);
    }

    /**
     * {@return the local key of its region, an unsigned 32-bit number, or {@link
     * BlockPool#NOT_REGISTERED} if its pool has no device}
     */
    @Override
    public long lkey() {
        return part.region().lkey();
    }

    /**
     * {@return the key of its region for peers; 0 unless the pool was made with remote access}
     *
     * <p>It opens the whole region, not only this block.
     */
    public int rkey() {
        return part.region().rkey();
    }

    /**
     * Copies bytes from the start of this block to another.
     *
     * @param target where to; the caller holds references to both
     * @param offset where in the target
     * @param length how many
     */
    public void copyTo(Block target, int offset, int length) {
        Objects.checkFromIndexSize(0, length, capacity());
        Objects.checkFromIndexSize(offset, length, target.capacity());
        MemorySegment.copy(base(), start(), target.base(), target.start() + offset, length);
    }

    /** {@return this, with one more reference} */
    public Block retain() {
        history.record("retained");
        addReferences(1);
        return this;
    }

    /** {@return whether this was the last reference; then the block is back in its pool} */
    public boolean release() {
        history.record("released");
        return dropReference();
    }

    /**
     * Records where the block is used, to help find a leak. Does nothing unless the block is
     * watched closely enough, see {@link LeakTracking}.
     *
     * @param hint what to record along with the stack trace
     */
    public void touch(String hint) {
        history.record(hint);
    }

    /** Sets the history that watches it from now on; only while nobody else has the block. */
    void watch(BlockHistory watcher) {
        history = watcher;
    }

    BlockHistory history() {
        return history;
    }

    @Override
    void giveBack() {
        if (history != BlockHistory.NONE) {
            history = BlockHistory.NONE;
        }
        part.region().store().free(this);
    }

    @Override
    public String toString() {
        return type().flagName() + " block at 0x" + Long.toHexString(address());
    }
}
