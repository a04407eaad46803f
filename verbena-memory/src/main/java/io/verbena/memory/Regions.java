// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/** The regions of a pool: makes them when blocks run out, gives them back when they are idle. */
final class Regions {
    private static final int MB = 1 << 20;
    private static final long PAGE = 4096;

    /** The number of regions is limited; a smaller one is not worth it. */
    private static final long LEAST_BYTES = 4L << 20;

    /**
     * How long to wait before asking a device again after it refused: asking is slow, and callers
     * wait for blocks.
     */
    private static final long PATIENCE_NS = Duration.ofSeconds(1).toNanos();

    private final RegionSource source;
    private final BlockPoolOptions options;
    private final RangeTable ranges;
    private final LongSupplier clockNs;
    private final ReentrantLock lock = new ReentrantLock();
    private final List<Region> regions = new ArrayList<>();
    private int made;
    private boolean isClosed;
    private long refusedAtNs;
    private VerbsException refusal;

    Regions(
            RegionSource source,
            BlockPoolOptions options,
            RangeTable ranges,
            LongSupplier clockNs) {
        this.source = source;
        this.options = options;
        this.ranges = ranges;
        this.clockNs = clockNs;
    }

    /** {@return whether it is worth looking for a free block again} */
    boolean tryGrow(BlockStore store) {
        lock.lock();
        try {
            checkOpen();
            if (store.hasFree()) {
                return true;
            }
            if (options.userSpecifiedMemory() || regions.size() >= options.maxRegions()) {
                return false;
            }
            return tryAllocate(store);
        } finally {
            lock.unlock();
        }
    }

    /** {@return whether there is one more region, though blocks may be free} */
    boolean tryAdd(BlockStore store) {
        lock.lock();
        try {
            checkOpen();
            return !options.userSpecifiedMemory()
                    && regions.size() < options.maxRegions()
                    && tryAllocate(store);
        } finally {
            lock.unlock();
        }
    }

    /** Asks the device for a region, for half the size if it refuses, and so on. */
    private boolean tryAllocate(BlockStore store) {
        if (refusal != null && clockNs.getAsLong() - refusedAtNs < PATIENCE_NS) {
            return false;
        }
        boolean isFirst = made == 0 && store.type() == options.recvBlockType();
        long wanted = (long) (isFirst ? options.initialSizeMb() : options.increaseSizeMb()) * MB;
        long unit = (long) store.type().bytes() * options.buckets();
        for (long bytes = wanted; bytes >= Math.max(unit, LEAST_BYTES); bytes /= 2) {
            try {
                install(new Region(store, source.allocate(bytes / unit * unit), made, false));
                refusal = null;
                return true;
            } catch (VerbsException e) {
                refusal = e;
            }
        }
        refusedAtNs = clockNs.getAsLong();
        return false;
    }

    /** Adds the user's memory as a region. */
    void add(BlockStore store, MemorySegment memory) {
        lock.lock();
        try {
            checkOpen();
            checkSupplied(store.type(), memory);
            if (regions.size() >= options.maxRegions()) {
                throw exhausted(store.type());
            }
            install(new Region(store, new RegisteredMemory(source.register(memory)), made, true));
        } finally {
            lock.unlock();
        }
    }

    private void checkSupplied(BlockType type, MemorySegment memory) {
        if (!options.userSpecifiedMemory()) {
            throw new BlockPoolException(
                    Errno.EINVAL,
                    BlockPoolOptions.USER_SPECIFIED_MEMORY
                            + ": false (expected: true for a pool of user-supplied regions)");
        }
        if (memory.address() % PAGE != 0) {
            throw new BlockPoolException(
                    Errno.EINVAL,
                    "memory: at 0x"
                            + Long.toHexString(memory.address())
                            + " (expected: aligned to "
                            + PAGE
                            + ")");
        }
        if (memory.byteSize() < type.bytes()) {
            throw new BlockPoolException(
                    Errno.EINVAL,
                    "memory: "
                            + memory.byteSize()
                            + " bytes (expected: room for a block of "
                            + type.bytes()
                            + ")");
        }
    }

    private void install(Region region) {
        regions.add(region);
        made++;
        if (region.isRegistered()) {
            ranges.add(region.range());
        }
        region.store().add(region);
    }

    /** {@return why there is no block of a type} */
    BlockPoolException exhausted(BlockType type) {
        lock.lock();
        try {
            if (options.userSpecifiedMemory()) {
                return noMemory(type, "add a region with BlockPool.addRegion, or release blocks");
            }
            if (regions.size() >= options.maxRegions()) {
                return noMemory(
                        type,
                        "release blocks, or raise "
                                + BlockPoolOptions.MAX_REGIONS
                                + " or "
                                + BlockPoolOptions.INCREASE_SIZE_MB);
            }
            return noMemory(
                    type,
                    "the device refuses more memory; release blocks, or raise its limit (ulimit -l"
                            + " for an adapter, the size of /dev/shm for the software device)");
        } finally {
            lock.unlock();
        }
    }

    private BlockPoolException noMemory(BlockType type, String remedy) {
        return new BlockPoolException(
                Errno.ENOMEM,
                "no "
                        + type.flagName()
                        + " block is free, regions: "
                        + regions.size()
                        + " of "
                        + options.maxRegions()
                        + "; "
                        + remedy,
                refusal);
    }

    /**
     * Gives back further regions that have no block in use.
     *
     * @param idleNs how long that must have been so
     * @return how many bytes were given back
     */
    long shrink(long idleNs) {
        List<Region> removed = new ArrayList<>();
        lock.lock();
        try {
            if (regions.isEmpty()) {
                return 0;
            }
            for (Region region : List.copyOf(regions.subList(1, regions.size()))) {
                if (!region.isUserSupplied() && isIdle(region, idleNs)) {
                    region.store().drainCache();
                    if (region.store().tryRemove(region)) {
                        regions.remove(region);
                        forgetRange(region);
                        removed.add(region);
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        removed.forEach(Region::close);
        return removed.stream().mapToLong(Region::bytes).sum();
    }

    private void forgetRange(Region region) {
        if (region.isRegistered()) {
            ranges.remove(region.range());
        }
    }

    private boolean isIdle(Region region, long idleNs) {
        long takes = 0;
        for (Part part : region.parts()) {
            part.bucket().lock().lock();
            try {
                takes += part.takes();
            } finally {
                part.bucket().lock().unlock();
            }
        }
        return region.idleNs(takes, clockNs.getAsLong()) >= idleNs;
    }

    /** {@return the regions there are now, in order of creation} */
    List<Region> list() {
        lock.lock();
        try {
            return List.copyOf(regions);
        } finally {
            lock.unlock();
        }
    }

    /** {@return the regions, for the caller to close} */
    List<Region> close() {
        lock.lock();
        try {
            isClosed = true;
            List<Region> all = List.copyOf(regions);
            all.forEach(this::forgetRange);
            regions.clear();
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void checkOpen() {
        if (isClosed) {
            throw new IllegalStateException("block pool is closed");
        }
    }
}
