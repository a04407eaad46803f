// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many threads, few blocks: no block has two owners, and all come back. */
class BlockPoolConcurrencyTest {
    private static final int ROUNDS = 2_000;

    @RegisterExtension final Pools pools = new Pools();

    /** A pool that is always nearly empty, so that every way to find a block is used. */
    private BlockPool scarcePool(int cached) {
        return pools.unregistered(
                Pools.SMALL
                        .withLeakTracking(LeakTracking.DISABLED)
                        .withDivision(1, 3, cached)
                        .withReceive(BlockType.DEFAULT, 1));
    }

    @Test
    void shouldHandOutEachBlockOnceToPlatformThreads() throws Exception {
        BlockPool pool = scarcePool(8);

        inParallel(4, Thread.ofPlatform().name("owner-", 0).factory(), i -> ownBlocks(pool, i));

        assertThat(pool.statistics().used()).isZero();
    }

    @Test
    void shouldHandOutEachBlockOnceToVirtualThreads() throws Exception {
        BlockPool pool = scarcePool(128);

        inParallel(40, Thread.ofVirtual().name("owner-", 0).factory(), i -> ownBlocks(pool, i));

        assertThat(pool.statistics().used()).isZero();
    }

    /** Marks each block with its own number and checks that the mark stays. */
    private static void ownBlocks(BlockPool pool, int self) {
        SplittableRandom random = new SplittableRandom(self);
        List<Block> mine = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            if (random.nextInt(100) < 85 && mine.size() < 1500) {
                BlockUse use = random.nextInt(10) == 0 ? BlockUse.RECEIVE : BlockUse.SEND;
                Optional<Block> block = pool.tryAllocate(BlockType.DEFAULT, use);
                block.ifPresent(
                        b -> {
                            b.memory().set(ValueLayout.JAVA_INT, 0, self);
                            mine.add(b);
                        });
            } else if (!mine.isEmpty()) {
                checkAndRelease(mine.remove(random.nextInt(mine.size())), self);
            }
            if (i % 64 == 0) {
                Thread.yield();
            }
        }
        mine.forEach(block -> checkAndRelease(block, self));
    }

    private static void checkAndRelease(Block block, int self) {
        assertThat(block.memory().get(ValueLayout.JAVA_INT, 0)).isEqualTo(self);
        assertThat(block.references()).isEqualTo(1);
        block.release();
    }

    @Test
    void shouldTakeBlocksBackFromOtherThreads() throws Exception {
        BlockPool pool = scarcePool(16);
        BlockingQueue<Block> passed = new ArrayBlockingQueue<>(64);

        inParallel(
                2,
                Thread.ofPlatform().name("passes-", 0).factory(),
                i -> {
                    for (int k = 0; k < 5 * ROUNDS; k++) {
                        if (i == 0) {
                            passed.put(pool.allocate(BlockType.DEFAULT, BlockUse.SEND));
                        } else {
                            passed.take().release();
                        }
                    }
                });

        assertThat(pool.statistics().used()).isZero();
    }

    @Test
    void shouldReleaseSharedBlocksOnce() throws Exception {
        BlockPool pool = scarcePool(16);
        List<IOBuf> shares = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            shares.add(pool.buffer());
        }
        byte[] data = new byte[50_000];
        new SplittableRandom(1).nextBytes(data);

        for (int round = 0; round < 50; round++) {
            try (IOBuf whole = pool.buffer()) {
                whole.append(data);
                shares.forEach(share -> share.append(whole));
            }
            inParallel(
                    4,
                    Thread.ofPlatform().name("shares-", 0).factory(),
                    i -> {
                        IOBuf share = shares.get(i);
                        try (IOBuf head = pool.buffer();
                                IOBuf more = pool.buffer()) {
                            share.cutInto(head, 1000L * (i + 1));
                            more.append(head).append(share);
                            assertThat(more.toByteArray()).isEqualTo(data);
                        }
                        share.clear();
                    });
            assertThat(pool.statistics().used()).isZero();
        }
    }

    @Test
    void shouldShrinkWhileOthersAllocate() throws Exception {
        BlockPool pool =
                pools.unregistered(
                        Pools.SMALL
                                .withLeakTracking(LeakTracking.DISABLED)
                                .withDivision(4, 2, 8)
                                .withReceive(BlockType.HUGE, 0));

        inParallel(
                3,
                Thread.ofPlatform().name("shrinks-", 0).factory(),
                i -> {
                    for (int k = 0; k < 200; k++) {
                        if (i == 0) {
                            pool.shrink();
                            Thread.yield();
                        } else {
                            useSomeHugeBlocks(pool, i);
                        }
                    }
                });

        assertThat(pool.statistics().used()).isZero();
        pool.shrink();
        assertThat(pool.statistics().regions()).hasSize(1);
    }

    private static void useSomeHugeBlocks(BlockPool pool, int self) {
        List<Block> mine = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            pool.tryAllocate(BlockType.HUGE, BlockUse.SEND)
                    .ifPresent(
                            block -> {
                                block.memory().set(ValueLayout.JAVA_INT, 0, self);
                                mine.add(block);
                            });
        }
        mine.forEach(block -> checkAndRelease(block, self));
    }

    private interface Work {
        void run(int number) throws Exception;
    }

    private static void inParallel(int count, ThreadFactory threads, Work work)
            throws ExecutionException, InterruptedException {
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService executor = Executors.newThreadPerTaskExecutor(threads)) {
            for (int i = 0; i < count; i++) {
                int number = i;
                running.add(
                        executor.submit(
                                () -> {
                                    work.run(number);
                                    return null;
                                }));
            }
        }
        for (Future<?> each : running) {
            each.get();
        }
    }
}
