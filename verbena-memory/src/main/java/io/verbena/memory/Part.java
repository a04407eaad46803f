// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * The share of a region that belongs to one bucket: a list of free blocks, and a range that was
 * never used and has no block objects yet. Guarded by the bucket's lock.
 */
final class Part {
    private static final int FIRST_CAPACITY = 16;

    private final Region region;
    private final Bucket bucket;
    private final int first;
    private final int count;

    /** Every block that was ever used; grows with them. */
    private Block[] blocks = {};

    private int carved;

    /** A stack of the blocks that are here, as long as {@link #blocks}. */
    private Block[] free = {};

    private int freeCount;
    private long takes;

    Part(Region region, Bucket bucket, int first, int count) {
        this.region = region;
        this.bucket = bucket;
        this.first = first;
        this.count = count;
    }

    Region region() {
        return region;
    }

    Bucket bucket() {
        return bucket;
    }

    int count() {
        return count;
    }

    /** {@return how many blocks are here} */
    int available() {
        return freeCount + count - carved;
    }

    /** {@return how many blocks are elsewhere: in use, or in a cache} */
    int used() {
        return carved - freeCount;
    }

    /** {@return how many blocks were ever taken} */
    long takes() {
        return takes;
    }

    /** {@return a block that was here; {@link #available} must have said so} */
    Block take() {
        Block block = freeCount > 0 ? free[--freeCount] : carve();
        takes++;
        return block;
    }

    void put(Block block) {
        free[freeCount++] = block;
    }

    /** Visits every block that was ever used. */
    void forEach(Consumer<Block> visitor) {
        for (int i = 0; i < carved; i++) {
            visitor.accept(blocks[i]);
        }
    }

    private Block carve() {
        if (carved == blocks.length) {
            int capacity = Math.min(count, Math.max(FIRST_CAPACITY, 2 * carved));
            blocks = Arrays.copyOf(blocks, capacity);
            free = Arrays.copyOf(free, capacity);
        }
        Block block = region.carve(this, first + carved);
        blocks[carved++] = block;
        return block;
    }
}
