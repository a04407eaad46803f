// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A free list with its own lock. Older regions are used first, so that newer ones become idle and
 * can be given back.
 */
final class Bucket {
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Part> parts = new ArrayList<>();

    /** No part before this one has a block. */
    private int hint;

    ReentrantLock lock() {
        return lock;
    }

    /** Adds a share of a new region. */
    void add(Part part) {
        lock.lock();
        try {
            parts.add(part);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets the share of a region; the caller holds the lock, and no block of it is in use. */
    void remove(Part part) {
        parts.remove(part);
        hint = 0;
    }

    /**
     * {@return how many blocks were taken}
     *
     * @throws BlockPoolException ENOMEM if there is no memory for the first of them
     */
    int take(Block[] into, int max) {
        int taken = 0;
        lock.lock();
        try {
            while (taken < max && seek()) {
                into[taken] = parts.get(hint).take();
                taken++;
            }
        } catch (BlockPoolException e) {
            if (taken == 0) {
                throw e;
            }
        } finally {
            lock.unlock();
        }
        return taken;
    }

    /** {@return one block, or null if there is none} */
    Block take() {
        lock.lock();
        try {
            return seek() ? parts.get(hint).take() : null;
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether the hint points at a part with a block} */
    private boolean seek() {
        while (hint < parts.size()) {
            if (parts.get(hint).available() > 0) {
                return true;
            }
            hint++;
        }
        return false;
    }

    void put(Block block) {
        lock.lock();
        try {
            putInside(block);
        } finally {
            lock.unlock();
        }
    }

    /** Puts back a block that belongs here; the caller holds the lock. */
    void putInside(Block block) {
        block.part().put(block);
        // finding the block's part would cost more than searching the parts again
        hint = 0;
    }

    /** {@return whether a block could be taken now} */
    boolean hasFree() {
        lock.lock();
        try {
            return seek();
        } finally {
            lock.unlock();
        }
    }

    /** Visits every part, under the lock. */
    void inspect(Consumer<Part> visitor) {
        lock.lock();
        try {
            parts.forEach(visitor);
        } finally {
            lock.unlock();
        }
    }
}
