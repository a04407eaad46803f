// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Blocks of one size, cut from shared segments that are created as needed and kept. Only used on
 * the control path; guarded by a lock.
 */
final class SharedBlocks {
    private record Held(SharedBlock block, RingWire wire) {}

    private final Segments segments;
    private final long blockBytes;
    private final int blocksPerSegment;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<SharedBlock> fresh = new ArrayDeque<>();
    private final Deque<SharedBlock> used = new ArrayDeque<>();
    private final List<Held> waiting = new ArrayList<>();

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
            if (used.isEmpty()) {
                if (fresh.isEmpty()) {
                    grow();
                }
                SharedBlock block = fresh.getFirst();
                // block by block: most processes need only a few
                segments.reserve(block.segment(), block.offset(), blockBytes);
                fresh.removeFirst();
                return block;
            }
            SharedBlock block = used.removeFirst();
            // cleared now and not when it came back: a peer that lied about releasing it may have
            // written since
            block.memory().asSlice(block.offset(), blockBytes).fill((byte) 0);
            return block;
        } finally {
            lock.unlock();
        }
    }

    private void grow() {
        int segment = segments.createSparse(blockBytes * blocksPerSegment);
        MemorySegment memory = segments.memory(segment);
        for (int i = 0; i < blocksPerSegment; i++) {
            fresh.addLast(new SharedBlock(segment, memory, i * blockBytes));
        }
    }

    /** Takes back a block of a closed wire once its peer has released it or has died. */
    void giveBackWhenReleased(SharedBlock block, RingWire wire) {
        lock.lock();
        try {
            waiting.add(new Held(block, wire));
            reclaim();
        } finally {
            lock.unlock();
        }
    }

    /** {@return how many blocks wait for their peers} */
    int waiting() {
        lock.lock();
        try {
            reclaim();
            return waiting.size();
        } finally {
            lock.unlock();
        }
    }

    private void reclaim() {
        waiting.removeIf(
                held -> {
                    boolean isFree = held.wire().isReleased();
                    if (isFree) {
                        used.addFirst(held.block());
                    }
                    return isFree;
                });
    }
}
