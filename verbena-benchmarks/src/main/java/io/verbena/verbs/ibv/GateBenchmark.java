// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What does it cost to protect a post or poll from a concurrent close? In the package of what it
 * measures.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class GateBenchmark {
    private static final int BURST = 1000;

    private final Gate gate = new Gate("benchmark");

    /** Enters and leaves, as every post and poll does. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void enterAndLeave() {
        for (int i = 0; i < BURST; i++) {
            gate.enter();
            gate.leave();
        }
    }
}
