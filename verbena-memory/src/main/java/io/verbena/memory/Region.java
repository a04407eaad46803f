// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.IntStream;

/** One contiguous piece of memory, cut into blocks of one type and divided among the buckets. */
final class Region {
    private final BlockStore store;
    private final RegionMemory memory;
    private final int number;
    private final boolean isUserSupplied;
    private final long lkey;
    private final int rkey;
    private final List<Part> parts;
    private long takesSeen = -1;
    private long idleSinceNs;

    Region(BlockStore store, RegionMemory memory, int number, boolean isUserSupplied) {
        this.store = store;
        this.memory = memory;
        this.number = number;
        this.isUserSupplied = isUserSupplied;
        this.lkey = memory.lkey();
        this.rkey = memory.rkey();
        this.parts = cut((int) (memory.bytes() / store.type().bytes()));
    }

    /** Equal parts for the buckets; the rest, at the end, is the reserve. */
    private List<Part> cut(int blocks) {
        int buckets = store.buckets();
        long shared = blocks - (long) blocks * store.reservePercent() / 100;
        return IntStream.rangeClosed(0, buckets)
                .mapToObj(
                        i -> {
                            int first = (int) (shared * i / buckets);
                            int end = i == buckets ? blocks : (int) (shared * (i + 1) / buckets);
                            return new Part(this, store.bucket(i), first, end - first);
                        })
                .toList();
    }

    BlockStore store() {
        return store;
    }

    BlockPool pool() {
        return store.pool();
    }

    BlockType type() {
        return store.type();
    }

    int number() {
        return number;
    }

    long bytes() {
        return memory.bytes();
    }

    long lkey() {
        return lkey;
    }

    int rkey() {
        return rkey;
    }

    boolean isUserSupplied() {
        return isUserSupplied;
    }

    boolean isRegistered() {
        return lkey != BlockPool.NOT_REGISTERED;
    }

    /** {@return what is registered; only if {@link #isRegistered}} */
    RangeTable.Range range() {
        return new RangeTable.Range(memory.segment(0).address(), memory.bytes(), lkey);
    }

    /** {@return one part per bucket, in the order of {@link BlockStore#bucket}} */
    List<Part> parts() {
        return parts;
    }

    Block carve(Part part, int index) {
        long offset = (long) index * type().bytes();
        MemorySegment segment = memory.segment(offset);
        return new Block(part, segment, memory.offsetInSegment(offset));
    }

    /**
     * {@return how long nothing was taken from it, as far as calls to this method can tell}
     *
     * @param takes how many blocks were ever taken from it
     * @param nowNs the time
     */
    long idleNs(long takes, long nowNs) {
        if (takes != takesSeen) {
            takesSeen = takes;
            idleSinceNs = nowNs;
        }
        return nowNs - idleSinceNs;
    }

    void close() {
        memory.close();
    }

    @Override
    public String toString() {
        return "region " + number + " of " + type().flagName() + " blocks";
    }
}
