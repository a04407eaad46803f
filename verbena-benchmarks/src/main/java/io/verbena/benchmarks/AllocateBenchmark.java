// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.verbena.memory.Block;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.BlockType;
import io.verbena.memory.BlockUse;
import io.verbena.memory.LeakTracking;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * What does it cost to take 8 KiB of pooled memory and give it back, here and in Netty? Run it with
 * {@code -t 1} and {@code -t 4}. Leak detection is off on both sides, and Netty's thread caches are
 * on, which it otherwise uses only for its own threads.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(value = 1, jvmArgsAppend = "-Dio.netty.allocator.useCacheForAllThreads=true")
public class AllocateBenchmark {
    private static final int BYTES = 8192;
    private static final int BURST = 16;

    /** Several blocks at once, as a sender holds them. */
    @State(Scope.Thread)
    public static class Held {
        private final Block[] blocks = new Block[BURST];
        private final ByteBuf[] buffers = new ByteBuf[BURST];
    }

    private DeviceContext device;
    private BlockPool pool;
    private PooledByteBufAllocator netty;

    /** Creates both pools. */
    @Setup
    public void open() {
        device = Devices.open();
        pool =
                BlockPool.of(
                        device.allocateProtectionDomain(),
                        BlockPoolOptions.DEFAULT.withLeakTracking(LeakTracking.DISABLED));
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
        netty = PooledByteBufAllocator.DEFAULT;
    }

    /** Closes our pool. */
    @TearDown
    public void close() {
        pool.close();
        device.close();
    }

    /** One of our blocks. */
    @Benchmark
    public boolean block() {
        return pool.allocate(BlockType.DEFAULT, BlockUse.SEND).release();
    }

    /** The baseline: one Netty buffer. */
    @Benchmark
    public boolean netty() {
        return netty.directBuffer(BYTES).release();
    }

    /** Takes sixteen of our blocks, then gives all of them back. */
    @Benchmark
    public void blockBurst(Held held, Blackhole hole) {
        Block[] blocks = held.blocks;
        for (int i = 0; i < BURST; i++) {
            blocks[i] = pool.allocate(BlockType.DEFAULT, BlockUse.SEND);
        }
        for (int i = 0; i < BURST; i++) {
            hole.consume(blocks[i].release());
        }
    }

    /** The baseline: takes sixteen Netty buffers, then gives all of them back. */
    @Benchmark
    public void nettyBurst(Held held, Blackhole hole) {
        ByteBuf[] buffers = held.buffers;
        for (int i = 0; i < BURST; i++) {
            buffers[i] = netty.directBuffer(BYTES);
        }
        for (int i = 0; i < BURST; i++) {
            hole.consume(buffers[i].release());
        }
    }
}
