// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * A small stack of free blocks that threads near each other share. One thread at a time is inside;
 * nobody waits for it: a thread that finds it busy goes elsewhere.
 */
final class Stripe extends StripeFields.RightPadding {
    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(StripeFields.Hot.class, "busy", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Block[] blocks;

    Stripe(int limit) {
        this.blocks = new Block[limit];
    }

    /** {@return whether the caller is inside now; pairs with {@link #leave}} */
    boolean tryEnter() {
        return (int) BUSY.getOpaque(this) == 0 && BUSY.compareAndSet(this, 0, 1);
    }

    /** Publishes what was done inside. */
    void leave() {
        BUSY.setRelease(this, 0);
    }

    int sizeInside() {
        return size;
    }

    /** {@return a block, or null} */
    Block popInside() {
        int top = size - 1;
        if (top < 0) {
            return null;
        }
        size = top;
        return blocks[top];
    }

    /** {@return whether there was room} */
    boolean pushInside(Block block) {
        int top = size;
        if (top == blocks.length) {
            return false;
        }
        // most frees follow their allocation: the block is in the array already, and checking is
        // cheaper than the collector's store barrier
        if (blocks[top] != block) {
            blocks[top] = block;
        }
        size = top + 1;
        return true;
    }

    /** Takes up to half the limit plus one from a bucket. */
    void refillInside(Bucket bucket) {
        size = bucket.take(blocks, Math.min(blocks.length, blocks.length / 2 + 1));
    }

    /** Returns blocks to the buckets they belong to, until this many are left. */
    void flushInside(int left) {
        while (size > left) {
            Bucket bucket = blocks[size - 1].part().bucket();
            bucket.lock().lock();
            try {
                // blocks that were taken together usually belong together: one lock for all of them
                while (size > left && blocks[size - 1].part().bucket() == bucket) {
                    bucket.putInside(blocks[--size]);
                    blocks[size] = null;
                }
            } finally {
                bucket.lock().unlock();
            }
        }
    }

    /**
     * Returns all blocks, and clears the entries of those that are elsewhere: their region may be
     * closed.
     */
    void drainInside() {
        flushInside(0);
        Arrays.fill(blocks, null);
    }
}
