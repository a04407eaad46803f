// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.IOBuf;
import io.verbena.memory.LeakTracking;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * With {@code -prof gc}: does a buffer allocate anything that grows with the data it carries? What
 * does it cost on top of copying the bytes?
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AppendCutBenchmark {
    private static final int HEADER = 12;

    /** How many bytes are appended. */
    @Param({"1024", "65536"})
    public int bytes;

    private BlockPool pool;
    private IOBuf whole;
    private IOBuf header;
    private IOBuf body;
    private byte[] data;
    private byte[] copy;

    /** Creates the buffers, which are reused each time. */
    @Setup
    public void open() {
        pool =
                BlockPool.unregistered(
                        BlockPoolOptions.DEFAULT.withLeakTracking(LeakTracking.DISABLED));
        whole = pool.buffer();
        header = pool.buffer();
        body = pool.buffer();
        data = new byte[bytes];
        copy = new byte[bytes];
    }

    /** Closes the pool. */
    @TearDown
    public void close() {
        pool.close();
    }

    /** Appends, cuts off a header, cuts out the body, releases both. */
    @Benchmark
    public long appendAndCut() {
        whole.append(data);
        whole.cutInto(header, HEADER);
        long cut = whole.cutInto(body, bytes);
        header.clear();
        body.clear();
        return cut;
    }

    /** The baseline: the bytes are copied once. */
    @Benchmark
    public byte[] copy() {
        System.arraycopy(data, 0, copy, 0, bytes);
        return copy;
    }
}
