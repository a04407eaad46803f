// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BlockTest {
    @RegisterExtension final Pools pools = new Pools();

    @Test
    void shouldComeBackWithTheLastReference() {
        BlockPool pool = pools.registered(Pools.SMALL);
        Block block = pool.allocate(100);

        block.retain();

        assertThat(block.references()).isEqualTo(2);
        assertThat(block.release()).isFalse();
        assertThat(pool.outstanding()).hasSize(1);
        assertThat(block.release()).isTrue();
        assertThat(pool.outstanding()).isEmpty();
    }

    @Test
    void shouldNoticeASecondRelease() {
        Block block = pools.registered(Pools.SMALL).allocate(100);
        block.release();

        assertThatThrownBy(block::release)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("released twice");
        assertThatThrownBy(block::retain)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("after its release");
        assertThat(block.references()).isZero();
    }

    @Test
    void shouldHaveMemoryOfItsType() {
        BlockPool pool = pools.registered(Pools.SMALL);

        for (BlockType type : BlockType.values()) {
            Block block = pool.allocate(type, BlockUse.RECEIVE);

            assertThat(block.capacity()).isEqualTo(type.bytes());
            assertThat(block.memory().byteSize()).isEqualTo(type.bytes());
            assertThat(block.memory().address()).isEqualTo(block.address());
            assertThat(block.address() % 4096).isZero();
            block.memory().set(ValueLayout.JAVA_BYTE, type.bytes() - 1, (byte) 7);
            assertThat(block.memory().get(ValueLayout.JAVA_BYTE, type.bytes() - 1))
                    .isEqualTo((byte) 7);
            assertThat(block.pool()).isSameAs(pool);
            block.release();
        }
    }

    @Test
    void shouldTellWhoHasIt() {
        BlockPool pool = pools.registered(Pools.SMALL);
        Block block = pool.allocate(100);
        block.touch("passed the window");

        OutstandingBlock outstanding = pool.outstanding().getFirst();

        assertThat(outstanding.address()).isEqualTo(block.address());
        assertThat(outstanding.references()).isEqualTo(1);
        assertThat(outstanding.toString())
                .contains("allocated by", "BlockTest.shouldTellWhoHasIt", "passed the window");
        block.release();
    }

    @Test
    void shouldSayHowToFindOutWhoHasIt() {
        BlockPool pool = pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.DISABLED));
        Block block = pool.allocate(100);
        block.touch("unseen");

        assertThat(pool.outstanding().getFirst().toString())
                .contains("rdma_memory_pool_leak_tracking=PARANOID");
        block.release();
    }

    @Test
    void shouldWatchSomeBlocksWhenTrackingIsSimple() {
        BlockPool pool = pools.registered(Pools.SMALL.withLeakTracking(LeakTracking.SIMPLE));
        var blocks = BlockPoolFaultTest.takeAll(pool, BlockType.DEFAULT, BlockUse.RECEIVE);

        long watched =
                pool.outstanding().stream().filter(each -> !each.history().isEmpty()).count();

        // one in 1024 of them: 64 on average
        assertThat(blocks).hasSize(16 * 4096);
        assertThat(watched).isBetween(16L, 160L);
        blocks.forEach(Block::release);
    }
}
