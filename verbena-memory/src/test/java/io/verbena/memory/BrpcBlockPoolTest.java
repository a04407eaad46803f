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
        List<Block> blocks = new ArrayList<>();

        for (BlockType type : BlockType.values()) {
            int count = Math.min(1024, (64 << 20) / type.bytes());
            for (int i = 0; i < count; i++) {
                Block block = pool.allocate(type.bytes() - i % 8);
                assertThat(block.type()).isEqualTo(type);
                assertThat(pool.lkey(block.address(), type.bytes())).isEqualTo(block.lkey());
                blocks.add(block);
            }
        }

        assertThat(blocks.stream().map(Block::address).distinct()).hasSameSizeAs(blocks);
        blocks.forEach(pool::free);
        assertThat(pool.statistics().used()).isZero();
    }

    @Test
    void multipleThread() throws ExecutionException, InterruptedException {
        BlockPool pool = pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.SIMPLE));
        List<Future<?>> threads = new ArrayList<>();

        try (ExecutorService executor =
                Executors.newThreadPerTaskExecutor(
                        Thread.ofVirtual().name("allocates-", 0).factory())) {
            for (int i = 0; i < 32; i++) {
                threads.add(executor.submit(() -> allocateAndFree(pool)));
            }
        }

        for (Future<?> thread : threads) {
            thread.get();
        }
        assertThat(pool.statistics().used()).isZero();
    }

    private static void allocateAndFree(BlockPool pool) {
        BlockType[] types = BlockType.values();
        for (int i = 0; i < 1000; i++) {
            Block block = pool.allocate(types[i % types.length], BlockUse.SEND);
            Thread.yield();
            block.release();
        }
    }

    @Test
    void extend() {
        BlockPool pool = pools.registered(NO_RESERVE.withSizesMb(64, 64).withDivision(16, 1, 128));
        List<Block> blocks = new ArrayList<>();

        for (int i = 0; i < 16 * (64 << 20) / BlockType.HUGE.bytes(); i++) {
            blocks.add(pool.allocate(BlockType.HUGE, BlockUse.SEND));
        }

        assertThat(pool.statistics().regions()).hasSize(16);
        blocks.forEach(Block::release);
        assertThat(pool.statistics().regions()).hasSize(16);
    }

    @Test
    void memoryNotEnough() {
        BlockPool pool = pools.registered(NO_RESERVE.withSizesMb(64, 64).withDivision(2, 1, 128));
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < 2 * (64 << 20) / BlockType.LARGE.bytes(); i++) {
            blocks.add(pool.allocate(BlockType.LARGE, BlockUse.SEND));
        }

        assertErrno(Errno.ENOMEM, () -> pool.allocate(BlockType.LARGE, BlockUse.SEND));
        assertErrno(Errno.ENOMEM, () -> pool.allocate(BlockType.DEFAULT, BlockUse.SEND));

        assertThat(pool.statistics().regions()).hasSize(2);
        blocks.removeLast().release();
        blocks.add(pool.allocate(BlockType.LARGE, BlockUse.SEND));
        blocks.forEach(Block::release);
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
