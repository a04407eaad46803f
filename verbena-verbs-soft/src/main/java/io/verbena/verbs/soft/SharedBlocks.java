// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Blocks of one size, cut from shared segments that are created as needed and kept. Only used on
 * the control path; guarded by a lock.
 *
 * <p>A block is in one list or in none, whatever fails: if it were in two, two queue pairs would
 * write to it. So it moves between the lists with its {@link Place}, which takes no memory.
 */
final class SharedBlocks {
    /** A block in one of the lists. */
    private static final class Place {
        private final SharedBlock block;

        /** Whether the peer has released it; of no interest unless it waits for that. */
        private final BooleanSupplier isReleased;

        private Place next;

        Place(SharedBlock block, BooleanSupplier isReleased, Place next) {
            this.block = block;
            this.isReleased = isReleased;
            this.next = next;
        }
    }

    private final Segments segments;
    private final long blockBytes;
    private final int blocksPerSegment;
    private final ReentrantLock lock = new ReentrantLock();

    /** The lists, linked; null if there is no block. */
    private Place fresh;

    private Place used;
    private Place waiting;

    SharedBlocks(Segments segments, long blockBytes, int blocksPerSegment) {
        this.segments = segments;
        this.blockBytes = blockBytes;
        this.blocksPerSegment = blocksPerSegment;
    }

    /** {@return a zeroed block} */
    SharedBlock take() {
        lock.lock();
        try {
            reclaim();
            return used == null ? takeFresh() : takeUsed();
        } finally {
            lock.unlock();
        }
    }

    private SharedBlock takeFresh() {
        if (fresh == null) {
            grow();
        }
        SharedBlock block = fresh.block;
        // block by block: most processes need only a few
        segments.reserve(block.segment(), block.offset(), blockBytes);
        fresh = fresh.next;
        return block;
    }

    private SharedBlock takeUsed() {
        SharedBlock block = used.block;
        // cleared now and not when it came back: a peer that lied about releasing it may have
        // written since
        block.memory().asSlice(block.offset(), blockBytes).fill((byte) 0);
        used = used.next;
        return block;
    }

    private void grow() {
        int segment = segments.createSparse(blockBytes * blocksPerSegment);
        MemorySegment memory = segments.memory(segment);
        Place all = null;
        for (int i = blocksPerSegment - 1; i >= 0; i--) {
            all = new Place(new SharedBlock(segment, memory, i * blockBytes), () -> true, all);
        }
        fresh = all;
    }

    /**
     * Takes back a block once its peer has released it or has died. Throws only if nothing has
     * changed.
     *
     * @param isReleased whether that has happened
     */
    void giveBackWhenReleased(SharedBlock block, BooleanSupplier isReleased) {
        lock.lock();
        try {
            waiting = new Place(block, isReleased, waiting);
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many blocks wait for their peers} */
    int waiting() {
        lock.lock();
        try {
            reclaim();
            int count = 0;
            for (Place place = waiting; place != null; place = place.next) {
                count++;
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    private void reclaim() {
        Place before = null;
        Place place = waiting;
        while (place != null) {
            Place next = place.next;
            if (!place.isReleased.getAsBoolean()) {
                before = place;
            } else {
                if (before == null) {
                    waiting = next;
                } else {
                    before.next = next;
                }
                place.next = used;
                used = place;
            }
            place = next;
        }
    }
}
