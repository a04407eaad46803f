// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The cases of brpc's own test of its block pool, by their names there. */
class BrpcBlockPoolTest {
    private static final BlockPoolOptions NO_RESERVE =
            Pools.SMALL.withReceive(BlockType.DEFAULT, 0);

    @RegisterExtension final Pools pools = new Pools();

    @Test
    void singleThread() {
        BlockPool pool = pools.registered(Pools.SMALL.withDivision(16, 4, 128));

        allocateAndFree(pool, BlockType.DEFAULT.bytes(), 1024, BlockType.DEFAULT);
        allocateAndFree(pool, BlockType.DEFAULT.bytes() + 1, 1024, BlockType.LARGE);
        // brpc's 1024 would be 2 GiB
        allocateAndFree(pool, BlockType.HUGE.bytes(), 128, BlockType.HUGE);

        assertThat(pool.statistics().used()).isZero();
    }

    private static void allocateAndFree(BlockPool pool, int bytes, int count, BlockType type) {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Block block = pool.allocate(bytes);
            assertThat(block.type()).isEqualTo(type);
            assertThat(pool.lkey(block.address(), type.bytes())).isEqualTo(block.lkey());
            blocks.add(block);
        }
        assertThat(blocks.stream().map(Block::address).distinct()).hasSameSizeAs(blocks);
        blocks.reversed().forEach(pool::free);
    }

    @Test
    void multipleThread() throws ExecutionException, InterruptedException {
        BlockPool pool = pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.SIMPLE));
        List<Future<?>> threads = new ArrayList<>();

        try (ExecutorService executor =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("allocates-", 0).factory())) {
            for (int i = 0; i < 11; i++) {
                for (BlockType type : BlockType.values()) {
                    threads.add(executor.submit(() -> allocateAndFree(pool, type)));
                }
            }
        }

        for (Future<?> thread : threads) {
            thread.get();
        }
        assertThat(pool.statistics().used()).isZero();
    }

    private static void allocateAndFree(BlockPool pool, BlockType type) {
        for (int i = 0; i < 1000; i++) {
            Block block = pool.allocate(type.bytes());
            assertThat(block.type()).isEqualTo(type);
            Thread.yield();
            block.release();
        }
    }

    @Test
    void extend() {
        BlockPool pool = pools.registered(NO_RESERVE.withSizesMb(64, 64).withDivision(16, 1, 128));
        List<Block> blocks = new ArrayList<>();
        // brpc makes the first region at the start, this pool with the first block
        blocks.add(pool.allocate(1));
        assertThat(pool.statistics().regions()).hasSize(1);

        for (int i = 0; i < 15 * (64 << 20) / BlockType.HUGE.bytes(); i++) {
            blocks.add(pool.allocate(BlockType.LARGE.bytes() + 1));
        }

        assertThat(pool.statistics().regions()).hasSize(16);
        assertErrno(Errno.ENOMEM, () -> pool.allocate(BlockType.HUGE.bytes()));
        blocks.forEach(Block::release);
        assertThat(pool.statistics().regions()).hasSize(16);
    }

    @Test
    void memoryNotEnough() {
        BlockPool pool = pools.registered(NO_RESERVE.withSizesMb(64, 64).withDivision(2, 1, 128));
        List<Block> blocks = new ArrayList<>();
        blocks.add(pool.allocate(1));
        for (int i = 0; i < (64 << 20) / BlockType.HUGE.bytes(); i++) {
            blocks.add(pool.allocate(BlockType.LARGE.bytes() + 1));
        }
        assertThat(pool.statistics().regions()).hasSize(2);

        assertErrno(Errno.ENOMEM, () -> pool.allocate(BlockType.LARGE.bytes()));
        assertErrno(Errno.ENOMEM, () -> pool.allocate(BlockType.HUGE.bytes()));

        assertThat(pool.lkey(0, 1)).isEqualTo(BlockPool.NOT_REGISTERED);
        blocks.removeLast().release();
        blocks.add(pool.allocate(BlockType.HUGE.bytes()));
        blocks.forEach(Block::release);
        assertThat(pool.statistics().regions()).hasSize(2);
    }

    @Test
    void invalidUse() {
        BlockPool pool = pools.registered(Pools.SMALL);
        BlockPool other = pools.unregistered(Pools.SMALL);
        Block stranger = other.allocate(1);

        assertErrno(Errno.EINVAL, () -> pool.allocate(0));
        assertErrno(Errno.EINVAL, () -> pool.allocate(-1));
        assertErrno(Errno.EINVAL, () -> pool.allocate(BlockType.HUGE.bytes() + 1L));
        assertErrno(Errno.EINVAL, () -> pool.free(null));
        assertErrno(Errno.ERANGE, () -> pool.free(stranger));
        stranger.release();
    }

    @Test
    void dumpInfo() {
        BlockPool pool = pools.registered(Pools.SMALL);

        assertThat(pool.statistics().describe()).contains("type=DEFAULT, total=0, used=0");

        Block block = pool.allocate(BlockType.DEFAULT, BlockUse.SEND);
        assertThat(pool.statistics().describe()).contains("type=DEFAULT, total=4096, used=1");
        block.release();
        assertThat(pool.statistics().describe()).contains("type=DEFAULT, total=4096, used=0");
    }

    private static void assertErrno(int errno, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        BlockPoolException.class, e -> assertThat(e.errno()).isEqualTo(errno))
                .hasMessageContaining(Errno.name(errno));
    }
}
