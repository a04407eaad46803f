// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.verbena.verbs.QueuePair;
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

/** Does the cost of polling an empty completion queue grow with the queue pairs connected to it? */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class EmptyPollBenchmark {
    /** How the two sides reach each other. */
    @Param({"IN_PROCESS", "SHARED_MEMORY"})
    public Wire wire;

    /** How many queue pairs share the completion queue. */
    @Param({"1", "1000"})
    public int pairs;

    private End near;
    private End far;

    /** Connects the queue pairs. */
    @Setup
    public void connect() {
        near = new End(wire.openNear());
        far = new End(wire.openFar());
        for (int i = 0; i < pairs; i++) {
            QueuePair nearPair = near.createPair();
            End.connect(near, nearPair, far, far.createPair());
        }
    }

    /** Closes both sides. */
    @TearDown
    public void close() {
        near.close();
        far.close();
    }

    /** Polls and finds nothing. */
    @Benchmark
    public int poll() {
        return near.queue.poll(near.completion);
    }
}
