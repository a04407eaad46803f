// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * All blocks of one type. Looks for a block in this order: the cache near the thread, the bucket of
 * the thread, the other buckets, a new region, the caches of other threads, and, for a receive, the
 * reserve.
 */
final class BlockStore {
    private final BlockPool pool;
    private final BlockType type;
    private final Regions regions;
    private final int reservePercent;
    private final List<Bucket> buckets;
    private final Bucket reserve = new Bucket();
    private final AtomicInteger reserveUsed = new AtomicInteger();
    private final LongAdder exhaustions = new LongAdder();
    private final NearCache cache;

    BlockStore(BlockPool pool, BlockType type, Regions regions, BlockPoolOptions options) {
        this.pool = pool;
        this.type = type;
        this.regions = regions;
        this.reservePercent = type == options.recvBlockType() ? options.receiveReservePercent() : 0;
        this.buckets = IntStream.range(0, options.buckets()).mapToObj(_ -> new Bucket()).toList();
        this.cache = new NearCache(cacheLimit(type, options.tlsCacheNum()));
    }

    /** {@return how many blocks are as many bytes as this many default ones} */
    private static int cacheLimit(BlockType type, int defaultBlocks) {
        return (int) ((long) defaultBlocks * BlockType.DEFAULT.bytes() / type.bytes());
    }

    BlockPool pool() {
        return pool;
    }

    BlockType type() {
        return type;
    }

    int reservePercent() {
        return reservePercent;
    }

    /** {@return how many buckets there are, not counting the reserve} */
    int buckets() {
        return buckets.size();
    }

    /** {@return a bucket; the one after the last is the reserve} */
    Bucket bucket(int number) {
        return number == buckets.size() ? reserve : buckets.get(number);
    }

    /** {@return a block with one reference, or null if there is none} */
    Block take(BlockUse use) {
        Block block = cache.take();
        if (block == null) {
            block = takeSlowPath(use);
            if (block == null) {
                exhaustions.increment();
                return null;
            }
        }
        block.firstReference();
        return block;
    }

    private Block takeSlowPath(BlockUse use) {
        Block block = takeFromBuckets();
        while (block == null && regions.tryGrow(this)) {
            block = takeFromBuckets();
        }
        if (block == null) {
            cache.drain();
            block = takeFromBuckets();
        }
        return block == null && use == BlockUse.RECEIVE ? takeFromReserve() : block;
    }

    private Block takeFromReserve() {
        Block block = reserve.take();
        if (block != null) {
            reserveUsed.incrementAndGet();
        }
        return block;
    }

    private Block takeFromBuckets() {
        int count = buckets.size();
        int own = (int) (Thread.currentThread().threadId() % count);
        Block block = cache.refill(buckets.get(own));
        for (int i = 1; block == null && i < count; i++) {
            block = cache.refill(buckets.get((own + i) % count));
        }
        return block;
    }

    /** Takes back a block that has no references. */
    void free(Block block) {
        Bucket home = block.part().bucket();
        if (home == reserve) {
            reserveUsed.decrementAndGet();
            home.put(block);
        } else {
            cache.put(block);
        }
    }

    /** {@return whether a sender could take a block from a bucket} */
    boolean hasFree() {
        return buckets.stream().anyMatch(Bucket::hasFree);
    }

    /**
     * {@return whether a part of all blocks stays free for senders if this many more are taken}
     *
     * @param count how many
     * @param percent the part
     */
    boolean leavesShare(int count, int percent) {
        long[] sums = new long[2];
        buckets.forEach(
                bucket ->
                        bucket.inspect(
                                part -> {
                                    sums[0] += part.available();
                                    sums[1] += part.count();
                                }));
        return sums[0] + cache.size() - count >= sums[1] * percent / 100 && sums[1] > 0;
    }

    /** Makes the blocks of a new region available. */
    void add(Region region) {
        region.parts().forEach(part -> part.bucket().add(part));
    }

    /** {@return whether no block of the region was in use; if so, all of them have been removed} */
    boolean tryRemove(Region region) {
        List<Part> parts = region.parts();
        parts.forEach(part -> part.bucket().lock().lock());
        try {
            if (parts.stream().anyMatch(part -> part.used() > 0)) {
                return false;
            }
            parts.forEach(part -> part.bucket().remove(part));
            return true;
        } finally {
            parts.forEach(part -> part.bucket().lock().unlock());
        }
    }

    /** Returns every cached block to its bucket. */
    void drainCache() {
        cache.drain();
    }

    /** {@return whether receives depend on the reserve} */
    boolean isScarce() {
        return reserveUsed.get() > 0;
    }

    /** {@return how often there was no block} */
    long exhaustions() {
        return exhaustions.sum();
    }

    int cached() {
        return cache.size();
    }

    /** Visits every bucket in order, the reserve last. */
    void forEachBucket(Consumer<Bucket> visitor) {
        buckets.forEach(visitor);
        visitor.accept(reserve);
    }
}
