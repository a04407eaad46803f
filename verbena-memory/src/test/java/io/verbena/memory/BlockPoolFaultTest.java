// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a pool does when there is no memory. */
class BlockPoolFaultTest {
    private static final int MB = 1 << 20;

    @RegisterExtension final Pools pools = new Pools();

    private final AtomicLong clockNs = new AtomicLong();

    @Test
    void shouldTakeNothingUntilUsed() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 0);
        BlockPool pool = pools.withClock(domain, Pools.SMALL, clockNs::get);

        assertThat(pool.statistics().regions()).isEmpty();
        assertThat(domain.refusals()).isZero();
    }

    @Test
    void shouldSayWhyWhenTheDeviceRefuses() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 0);
        BlockPool pool = pools.withClock(domain, Pools.SMALL, clockNs::get);

        assertThatThrownBy(() -> pool.allocate(1))
                .isInstanceOf(BlockPoolException.class)
                .hasCauseInstanceOf(VerbsException.class)
                .hasMessageContaining("ENOMEM")
                .hasMessageContaining("ulimit -l");
    }

    @Test
    void shouldTakeLessWhenTheDeviceRefusesMore() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 9 * MB);
        BlockPool pool = pools.withClock(domain, Pools.SMALL, clockNs::get);

        pool.allocate(1).release();

        assertThat(pool.statistics().regions())
                .extracting(BlockPoolStatistics.Region::bytes)
                .containsExactly(8L * MB);
    }

    @Test
    void shouldLeaveARefusingDeviceAloneForAWhile() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 0);
        BlockPool pool = pools.withClock(domain, Pools.SMALL, clockNs::get);
        assertThat(pool.tryAllocate(BlockType.DEFAULT, BlockUse.SEND)).isEmpty();
        int asked = domain.refusals();
        domain.budget(64 * MB);

        assertThat(pool.tryAllocate(BlockType.DEFAULT, BlockUse.SEND)).isEmpty();
        assertThat(domain.refusals()).isEqualTo(asked);

        clockNs.addAndGet(Duration.ofSeconds(1).toNanos());
        pool.allocate(1).release();
    }

    @Test
    void shouldGoOnWithWhatThereIsWhenTheDeviceRefuses() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 32 * MB);
        BlockPool pool =
                pools.withClock(domain, Pools.SMALL.withReceive(BlockType.HUGE, 0), clockNs::get);
        List<Block> all = takeAll(pool, BlockType.HUGE, BlockUse.SEND);

        assertThat(all).hasSize(16);
        all.removeFirst().release();
        all.add(pool.allocate(BlockType.HUGE, BlockUse.SEND));
        all.forEach(Block::release);
    }

    @Test
    void shouldKeepTheReserveForReceives() {
        BlockPool pool =
                pools.registered(
                        Pools.SMALL.withDivision(1, 4, 128).withReceive(BlockType.DEFAULT, 25));

        List<Block> sent = takeAll(pool, BlockType.DEFAULT, BlockUse.SEND);
        List<Block> received = takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE);

        assertThat(sent).hasSize(3072);
        assertThat(received).hasSize(1024);
        assertThat(pool.statistics().type(BlockType.DEFAULT).reserveUsed()).isEqualTo(1024);
        assertThat(pool.statistics().type(BlockType.DEFAULT).exhaustions()).isEqualTo(2);
        assertThat(pool.isScarce(BlockType.DEFAULT)).isTrue();
        assertThatThrownBy(() -> pool.allocate(BlockType.DEFAULT, BlockUse.RECEIVE))
                .hasMessageContaining("ENOMEM");
        sent.forEach(Block::release);
        received.forEach(Block::release);
        assertThat(pool.statistics().used()).isZero();
        assertThat(pool.isScarce(BlockType.DEFAULT)).isFalse();
    }

    @Test
    void shouldShareOutARegionOfFewBlocks() {
        RefusingDomain domain = new RefusingDomain(pools.domain(), 8 * MB);
        BlockPool pool =
                pools.withClock(
                        domain,
                        Pools.SMALL.withReceive(BlockType.HUGE, 25).withDivision(16, 3, 0),
                        clockNs::get);

        List<Block> sent = takeAll(pool, BlockType.HUGE, BlockUse.SEND);
        List<Block> received = takeAll(pool, BlockType.HUGE, BlockUse.RECEIVE);

        assertThat(pool.statistics().regions()).hasSize(1);
        assertThat(sent).hasSize(3);
        assertThat(received).isEmpty();
        sent.forEach(Block::release);
    }

    @Test
    void shouldNotLetSendersHaveWhatReceivesGiveBack() {
        BlockPool pool =
                pools.registered(
                        Pools.SMALL.withDivision(1, 4, 128).withReceive(BlockType.DEFAULT, 25));
        List<Block> sent = takeAll(pool, BlockType.DEFAULT, BlockUse.SEND);
        List<Block> received = takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE);

        received.forEach(Block::release);

        assertThat(pool.tryAllocate(BlockType.DEFAULT, BlockUse.SEND)).isEmpty();
        assertThat(takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE))
                .hasSize(1024)
                .allSatisfy(Block::release);
        sent.forEach(Block::release);
    }

    @Test
    void shouldUseBlocksOfOtherThreadsBeforeItFails() throws InterruptedException {
        BlockPool pool =
                pools.registered(
                        Pools.SMALL.withDivision(1, 4, 128).withReceive(BlockType.DEFAULT, 0));
        List<Block> all = takeAll(pool, BlockType.DEFAULT, BlockUse.SEND);
        for (int i = 0; i < 8; i++) {
            Block block = all.removeLast();
            Thread.ofPlatform().name("frees").start(block::release).join();
        }

        List<Block> again = takeAll(pool, BlockType.DEFAULT, BlockUse.SEND);

        assertThat(again).hasSize(8);
        all.forEach(Block::release);
        again.forEach(Block::release);
    }

    @Test
    void shouldRefuseUseAfterClose() {
        BlockPool pool = pools.registered(Pools.SMALL);
        Block block = pool.allocate(1);
        IOBuf buffer = pool.buffer();

        pool.close();
        pool.close();

        assertThatThrownBy(() -> pool.allocate(1)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> buffer.append("late")).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> block.memory().get(ValueLayout.JAVA_BYTE, 0))
                .isInstanceOf(IllegalStateException.class);
        assertThat(buffer.isEmpty()).isTrue();
        assertThat(block.release()).isTrue();
    }

    @Test
    void shouldNameTheOptionThatIsOutside() {
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withSizesMb(31, 64))
                .hasMessageContaining(
                        "rdma_memory_pool_initial_size_mb: 31 (expected: 32..1048576)")
                .extracting(e -> ((BlockPoolException) e).errno())
                .isEqualTo(Errno.EINVAL);
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withSizesMb(64, 1 << 21))
                .hasMessageContaining("increase_size_mb");
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withDivision(17, 4, 128))
                .hasMessageContaining("max_regions");
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withDivision(1, 0, 128))
                .hasMessageContaining("buckets");
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withDivision(1, 1, -1))
                .hasMessageContaining("tls_cache_num");
        assertThatThrownBy(() -> BlockPoolOptions.DEFAULT.withReceive(BlockType.HUGE, 91))
                .hasMessageContaining("reserve_percent");
    }

    static List<Block> takeAll(BlockPool pool, BlockType type, BlockUse use) {
        List<Block> all = new ArrayList<>();
        pool.tryAllocate(type, use).ifPresent(all::add);
        while (!all.isEmpty()) {
            int before = all.size();
            pool.tryAllocate(type, use).ifPresent(all::add);
            if (all.size() == before) {
                return all;
            }
        }
        return all;
    }
}
