// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Regions supplied by the user, and what happens to idle ones. */
class BlockPoolRegionTest {
    private static final int MB = 1 << 20;

    @RegisterExtension final Pools pools = new Pools();

    private final AtomicLong clockNs = new AtomicLong();

    @Test
    void shouldCutUserSuppliedMemoryIntoBlocks() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(4 * MB, 4096);
            BlockPool pool =
                    pools.registered(
                            Pools.SMALL.withUserSpecifiedMemory().withReceive(BlockType.LARGE, 0));
            assertThatThrownBy(() -> pool.allocate(BlockType.LARGE, BlockUse.SEND))
                    .hasMessageContaining("ENOMEM")
                    .hasMessageContaining("addRegion");

            pool.addRegion(memory, BlockType.LARGE);

            List<Block> all = BlockPoolFaultTest.takeAll(pool, BlockType.LARGE, BlockUse.SEND);
            assertThat(all).hasSize(64);
            assertThat(all)
                    .allSatisfy(
                            block -> {
                                long offset = block.address() - memory.address();
                                assertThat(offset).isBetween(0L, 4L * MB - 65536);
                                assertThat(offset % 65536).isZero();
                            });
            all.forEach(Block::release);
            assertThat(pool.shrink()).isZero();
            pool.close();
        }
    }

    @Test
    void shouldRefuseUserSuppliedMemoryThatDoesNotFit() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(MB, 4096);
            BlockPool pool = pools.registered(Pools.SMALL.withUserSpecifiedMemory());
            BlockPool ownRegions = pools.registered(Pools.SMALL);
            BlockPool noDevice = pools.unregistered(Pools.SMALL.withUserSpecifiedMemory());

            assertThatThrownBy(() -> pool.addRegion(memory.asSlice(8), BlockType.DEFAULT))
                    .hasMessageContaining("EINVAL")
                    .hasMessageContaining("aligned");
            assertThatThrownBy(() -> pool.addRegion(memory, BlockType.HUGE))
                    .hasMessageContaining("room for a block");
            assertThatThrownBy(() -> ownRegions.addRegion(memory, BlockType.DEFAULT))
                    .hasMessageContaining("rdma_memory_pool_user_specified_memory");
            assertThatThrownBy(() -> noDevice.addRegion(memory, BlockType.DEFAULT))
                    .hasMessageContaining("no device");
        }
    }

    @Test
    void shouldGiveBackFurtherRegionsNobodyUses() {
        BlockPool pool = pools.registered(Pools.SMALL.withReceive(BlockType.HUGE, 0));
        List<Block> blocks = BlockPoolFaultTest.takeAll(pool, BlockType.HUGE, BlockUse.SEND);
        assertThat(pool.statistics().regions()).hasSize(16);
        Block held = blocks.removeLast();
        long address = blocks.getLast().address();

        blocks.forEach(Block::release);

        assertThat(pool.shrink()).isEqualTo(14L * 32 * MB);
        assertThat(pool.statistics().regions()).hasSize(2);
        assertThat(pool.lkey(held.address(), 1)).isEqualTo(held.lkey());
        held.release();
        assertThat(pool.shrink()).isEqualTo(32L * MB);
        assertThat(pool.lkey(address, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
        pool.allocate(BlockType.HUGE, BlockUse.SEND).release();
    }

    @Test
    void shouldGiveBackCachedBlocksWithTheirRegion() {
        BlockPool pool = pools.registered(Pools.SMALL.withDivision(2, 4, 128));
        List<Block> blocks = BlockPoolFaultTest.takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE);
        assertThat(blocks).hasSize(2 * 4096);
        blocks.forEach(Block::release);

        assertThat(pool.shrink()).isEqualTo(32L * MB);

        assertThat(pool.statistics().type(BlockType.DEFAULT).total()).isEqualTo(4096);
        assertThat(BlockPoolFaultTest.takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE))
                .hasSize(2 * 4096)
                .allSatisfy(Block::release);
    }

    @Test
    void shouldGiveBackARegionOnlyAfterItWasIdleLongEnough() {
        BlockPool pool =
                pools.withClock(
                        pools.domain(),
                        Pools.SMALL.withRegionIdle(Duration.ofSeconds(10)),
                        clockNs::get);
        Block first = pool.allocate(BlockType.DEFAULT, BlockUse.SEND);
        pool.allocate(BlockType.HUGE, BlockUse.SEND).release();

        assertThat(pool.shrinkIdle()).isZero();
        clockNs.addAndGet(Duration.ofSeconds(9).toNanos());
        pool.allocate(BlockType.HUGE, BlockUse.SEND).release();
        assertThat(pool.shrinkIdle()).isZero();
        clockNs.addAndGet(Duration.ofSeconds(9).toNanos());
        assertThat(pool.shrinkIdle()).isZero();
        clockNs.addAndGet(Duration.ofSeconds(1).toNanos());
        assertThat(pool.shrinkIdle()).isEqualTo(32L * MB);
        first.release();
    }

    @Test
    void shouldCommitPlainMemoryOnlyWhenUsed() {
        BlockPool pool = pools.unregistered(BlockPoolOptions.DEFAULT.withSizesMb(1 << 18, 32));

        Block block = pool.allocate(1);

        assertThat(block.lkey()).isEqualTo(BlockPool.NOT_REGISTERED);
        assertThat(pool.statistics().regions().getFirst().bytes()).isEqualTo(1L << 38);
        block.release();
    }

    @Test
    void shouldReadFlagsByTheirNames() {
        Properties flags = new Properties();
        flags.setProperty("rdma_memory_pool_initial_size_mb", "1024");
        flags.setProperty("rdma_memory_pool_max_regions", "3");
        flags.setProperty("rdma_memory_pool_user_specified_memory", "true");
        flags.setProperty("rdma_recv_block_type", "large");
        flags.setProperty("rdma_memory_pool_leak_tracking", "paranoid");
        flags.setProperty("unrelated", "x");

        BlockPoolOptions options = BlockPoolOptions.of(flags);

        assertThat(options.initialSizeMb()).isEqualTo(1024);
        assertThat(options.increaseSizeMb()).isEqualTo(BlockPoolOptions.DEFAULT.increaseSizeMb());
        assertThat(options.maxRegions()).isEqualTo(3);
        assertThat(options.userSpecifiedMemory()).isTrue();
        assertThat(options.recvBlockType()).isEqualTo(BlockType.LARGE);
        assertThat(options.leakTracking()).isEqualTo(LeakTracking.PARANOID);
        assertThat(BlockPoolOptions.of(new Properties())).isEqualTo(BlockPoolOptions.DEFAULT);
    }

    @Test
    void shouldRefuseFlagsItCannotRead() {
        assertThatThrownBy(() -> flag("rdma_memory_pool_buckets", "many"))
                .hasMessageContaining("rdma_memory_pool_buckets: many (expected: a whole number)");
        assertThatThrownBy(() -> flag("rdma_recv_block_type", "tiny"))
                .hasMessageContaining("default, large or huge");
        assertThatThrownBy(() -> flag("rdma_memory_pool_user_specified_memory", "maybe"))
                .hasMessageContaining("true or false");
        assertThatThrownBy(() -> flag("rdma_memory_pool_leak_tracking", "some"))
                .hasMessageContaining("PARANOID");
    }

    private static BlockPoolOptions flag(String name, String value) {
        Properties flags = new Properties();
        flags.setProperty(name, value);
        return BlockPoolOptions.of(flags);
    }
}
