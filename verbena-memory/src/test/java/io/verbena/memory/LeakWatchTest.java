// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

class LeakWatchTest {
    @RegisterExtension final Pools pools = new Pools();

    @Test
    @Timeout(30)
    void shouldNoticeABufferThatWasLost() {
        BlockPool pool = pools.unregistered(Pools.SMALL);
        Block block = pool.allocate(1);

        lose(pool, block);

        while (pool.statistics().lostBuffers() == 0) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(pool.statistics().lostBuffers()).isEqualTo(1);
        block.release();
    }

    private static void lose(BlockPool pool, Block block) {
        pool.buffer().append(block, 0, 1);
    }

    @Test
    @Timeout(30)
    void shouldNotMindBuffersThatWereEmpty() {
        BlockPool pool = pools.unregistered(Pools.SMALL);
        Block block = pool.allocate(1);
        for (int i = 0; i < 100; i++) {
            IOBuf buffer = pool.buffer();
            buffer.append("used");
            buffer.clear();
        }

        // the collector reports all of them at once
        lose(pool, block);
        while (pool.statistics().lostBuffers() == 0) {
            System.gc();
            Thread.onSpinWait();
        }

        assertThat(pool.statistics().lostBuffers()).isEqualTo(1);
        block.release();
    }
}
