// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Blocks of memory that one protection domain's device can reach, registered region by region and
 * reused; brpc's block pool.
 *
 * <p>No memory is allocated until the first block is. The first region is {@link
 * BlockPoolOptions#initialSizeMb}, further ones {@link BlockPoolOptions#increaseSizeMb}; if the
 * device refuses a region, the pool asks again for half the size. The software device reserves the
 * memory of a region when it is allocated.
 *
 * <p>Ownership: close it after everything that holds its blocks, and before the protection domain.
 *
 * <p>Threads: any thread may call any method.
 *
 * <p>Failure: ENOMEM when all blocks are in use and no region can be added; the pool goes on
 * working with what it has. A part of each region is kept for {@link BlockUse#RECEIVE}, so that
 * senders cannot keep a connection from posting its receives.
 */
public final class BlockPool implements AutoCloseable {
    /** Instead of a local key: the memory is not registered in this pool's protection domain. */
    public static final long NOT_REGISTERED = -1;

    /**
     * The key of memory that is not registered, but that whoever sends it may copy to memory that
     * is.
     */
    public static final long COPIED_WHEN_SENT = -2;

    /** The part of all blocks that new receivers leave to senders. */
    private static final int SENDERS_PERCENT = 10;

    private final BlockPoolOptions options;
    private final RegionSource source;
    private final RangeTable ranges = new RangeTable();
    private final Regions regions;
    private final BlockStore defaultBlocks;
    private final BlockStore largeBlocks;
    private final BlockStore hugeBlocks;
    private final Set<UserMemory> userMemories = ConcurrentHashMap.newKeySet();
    private final LeakWatch leaks;
    private volatile boolean isClosed;

    BlockPool(RegionSource source, BlockPoolOptions options, LongSupplier clockNs) {
        this.options = options;
        this.source = source;
        this.regions = new Regions(source, options, ranges, clockNs);
        this.leaks = new LeakWatch(options.leakTracking());
        this.defaultBlocks = new BlockStore(this, BlockType.DEFAULT, regions, options);
        this.largeBlocks = new BlockStore(this, BlockType.LARGE, regions, options);
        this.hugeBlocks = new BlockStore(this, BlockType.HUGE, regions, options);
    }

    /**
     * {@return a pool of memory that a device can reach}
     *
     * @param domain where its regions are registered
     * @param options its settings
     */
    public static BlockPool of(ProtectionDomain domain, BlockPoolOptions options) {
        Objects.requireNonNull(domain, "domain");
        return new BlockPool(new RegionSource.Device(domain), options, System::nanoTime);
    }

    /**
     * {@return a pool of memory that a device can reach, with other access than LOCAL_WRITE}
     *
     * <p>Peers get this access to the whole of a region, whatever is in its blocks.
     *
     * @param domain where its regions are registered
     * @param options its settings
     * @param access what the device and peers may do; reading by the owner is always allowed
     */
    public static BlockPool of(
            ProtectionDomain domain, BlockPoolOptions options, AccessFlag... access) {
        Objects.requireNonNull(domain, "domain");
        return new BlockPool(
                new RegionSource.Device(domain, List.of(access)), options, System::nanoTime);
    }

    /**
     * {@return a pool of plain native memory, for programs without RDMA}
     *
     * <p>It differs in one thing only: its blocks have no local key.
     *
     * @param options its settings
     */
    public static BlockPool unregistered(BlockPoolOptions options) {
        return new BlockPool(new RegionSource.Plain(), options, System::nanoTime);
    }

    /** {@return its settings} */
    public BlockPoolOptions options() {
        return options;
    }

    /** {@return whether its blocks are registered} */
    public boolean isRegistered() {
        return source instanceof RegionSource.Device;
    }

    /**
     * {@return a block to send, of the smallest type that is large enough}
     *
     * @param size from 1 to the size of a {@link BlockType#HUGE} block
     * @throws BlockPoolException EINVAL for another size, ENOMEM if there is none
     */
    public Block allocate(long size) {
        return allocate(BlockType.forSize(size), BlockUse.SEND);
    }

    /**
     * {@return a block with one reference}
     *
     * @param type its size
     * @param use what for
     * @throws BlockPoolException ENOMEM if there is none
     */
    public Block allocate(BlockType type, BlockUse use) {
        Block block = take(type, use);
        if (block == null) {
            throw regions.exhausted(type);
        }
        return block;
    }

    /**
     * {@return a block with one reference, or nothing if there is none}
     *
     * @param type its size
     * @param use what for
     */
    public Optional<Block> tryAllocate(BlockType type, BlockUse use) {
        return Optional.ofNullable(take(type, use));
    }

    private BlockStore store(BlockType type) {
        return switch (type) {
            case DEFAULT -> defaultBlocks;
            case LARGE -> largeBlocks;
            case HUGE -> hugeBlocks;
        };
    }

    private List<BlockStore> stores() {
        return List.of(defaultBlocks, largeBlocks, hugeBlocks);
    }

    /**
     * Takes several blocks, each with one reference.
     *
     * @param type their size
     * @param use what for
     * @param into where they go
     * @param from the first place to fill
     * @param to the place after the last one to fill
     * @return how many places were filled: fewer than requested if the blocks run out
     */
    public int tryAllocate(BlockType type, BlockUse use, Block[] into, int from, int to) {
        Objects.checkFromToIndex(from, to, into.length);
        for (int i = from; i < to; i++) {
            Block block = take(type, use);
            if (block == null) {
                return i - from;
            }
            into[i] = block;
        }
        return to - from;
    }

    private Block take(BlockType type, BlockUse use) {
        if (isClosed) {
            throw new IllegalStateException("block pool is closed");
        }
        Block block = store(type).take(use);
        if (block != null && leaks.isOn()) {
            leaks.onAllocate(block);
        }
        return block;
    }

    /**
     * Releases one reference to a block of this pool.
     *
     * @param block which
     * @throws BlockPoolException EINVAL if there is no block, ERANGE if it belongs to another pool
     */
    public void free(Block block) {
        if (block == null) {
            throw new BlockPoolException(
                    Errno.EINVAL, "block: null (expected: a block of this pool)");
        }
        if (block.pool() != this) {
            throw new BlockPoolException(
                    Errno.ERANGE,
                    block + " is not in a region of this pool (expected: free it in its own pool)");
        }
        block.release();
    }

    /** {@return an empty buffer that takes its blocks from this pool} */
    public IOBuf buffer() {
        IOBuf buffer = new IOBuf(this);
        if (leaks.isOn()) {
            leaks.onCreate(buffer);
        }
        return buffer;
    }

    /**
     * {@return the local key of registered memory, or {@link #NOT_REGISTERED}}
     *
     * <p>Finds regions of this pool and memory registered with {@link #register}. The time this
     * takes does not depend on how many there are.
     *
     * @param address the first byte
     * @param length how many bytes, all of which must be registered with one key
     */
    public long lkey(long address, long length) {
        return ranges.lkey(address, length);
    }

    /**
     * {@return the local key of a piece of a buffer, or {@link #NOT_REGISTERED} or {@link
     * #COPIED_WHEN_SENT} if the piece is not registered in this pool's protection domain}
     *
     * @param buffer any buffer
     * @param piece from 0 to {@link IOBuf#pieces} exclusive
     */
    public long lkey(IOBuf buffer, int piece) {
        CountedMemory memory = buffer.memoryOf(piece);
        if (!(memory instanceof Block block) || block.pool() == this) {
            long lkey = memory.lkey();
            if (lkey != NOT_REGISTERED) {
                return lkey;
            }
        }
        return ranges.lkey(buffer.pieceAddress(piece), buffer.pieceLength(piece));
    }

    /**
     * {@return the caller's memory, registered so that it can be sent without copying}
     *
     * @param memory native memory, which must stay alive until the registration is closed
     * @see IOBuf#appendUserData(UserMemory, long, long, Runnable)
     */
    public UserMemory register(MemorySegment memory) {
        UserMemory registered = new UserMemory(this, source.register(memory));
        ranges.add(registered.range());
        userMemories.add(registered);
        if (isClosed) {
            registered.closeWithPool();
            throw new IllegalStateException("block pool is closed");
        }
        return registered;
    }

    void forget(UserMemory memory) {
        if (userMemories.remove(memory)) {
            ranges.remove(memory.range());
        }
    }

    /**
     * Registers the caller's memory, for example huge pages, as a region of this pool.
     *
     * @param memory native memory aligned to 4096, which must stay alive until the pool is closed
     * @param type the blocks to cut it into
     * @throws BlockPoolException EINVAL if the pool makes its regions itself or the memory does not
     *     fit, ENOMEM if the pool has no room for another region
     */
    public void addRegion(MemorySegment memory, BlockType type) {
        regions.add(store(type), memory);
    }

    /**
     * Gives back every region, except the first, that has no block in use now.
     *
     * @return how many bytes were given back
     */
    public long shrink() {
        return regions.shrink(0);
    }

    /**
     * Gives back every region, except the first, that was idle for {@link
     * BlockPoolOptions#regionIdle}, as seen by calls to this method. Meant to be called by a timer,
     * every few seconds.
     *
     * @return how many bytes were given back
     */
    public long shrinkIdle() {
        return regions.shrink(options.regionIdle().toNanos());
    }

    /**
     * {@return whether somebody new may hold this many blocks for receives} If not, too little
     * would be left for those who send. Adds a region if that helps.
     *
     * @param type which
     * @param count how many
     */
    public boolean hasRoomForReceives(BlockType type, int count) {
        BlockStore store = store(type);
        while (!store.leavesShare(count, SENDERS_PERCENT)) {
            if (!regions.tryAdd(store)) {
                return false;
            }
        }
        return true;
    }

    /**
     * {@return whether blocks of a type are so scarce that receives depend on the reserve}
     *
     * <p>A receiver should then copy the bytes out of a block and repost it, rather than pass the
     * block on to somebody who may keep it.
     *
     * @param type which
     */
    public boolean isScarce(BlockType type) {
        return store(type).isScarce();
    }

    /** {@return what the pool holds now} */
    public BlockPoolStatistics statistics() {
        return new PoolCensus(stores(), regions.list()).take(userMemories.size(), leaks.lost());
    }

    /**
     * {@return the blocks that have not come back, with everything {@link LeakTracking} knows about
     * them}
     */
    public List<OutstandingBlock> outstanding() {
        List<OutstandingBlock> found = new ArrayList<>();
        for (BlockStore store : stores()) {
            store.forEachBucket(
                    bucket -> bucket.inspect(part -> part.forEach(block -> note(block, found))));
        }
        return List.copyOf(found);
    }

    private static void note(Block block, List<OutstandingBlock> found) {
        int references = block.references();
        if (references > 0) {
            found.add(
                    new OutstandingBlock(
                            block.type(), block.address(), references, block.history().toString()));
        }
    }

    /**
     * Gives back all memory. Touching the memory of a block that is still held throws; releasing
     * such a block does nothing.
     */
    @Override
    public void close() {
        isClosed = true;
        List<Runnable> steps = new ArrayList<>();
        userMemories.forEach(memory -> steps.add(memory::closeWithPool));
        regions.close().forEach(region -> steps.add(region::close));
        Steps.runAll(steps);
    }
}
