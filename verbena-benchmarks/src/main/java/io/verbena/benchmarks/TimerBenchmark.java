// SPDX-License-Identifier: Apache-2.0

package io.verbena.benchmarks;

import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.verbena.micrometer.CoarseClock;
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

/** What does it cost to time a call, and how much of that is reading the time of day? */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class TimerBenchmark {
    private final CoarseClock coarse = new CoarseClock();
    private Timer systemTimer;
    private Timer coarseTimer;
    private long latencyNs;

    /** Timers like those of a call. */
    @Setup
    public void make() {
        systemTimer = timer(Clock.SYSTEM);
        coarseTimer = timer(coarse);
    }

    private static Timer timer(Clock clock) {
        MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, clock);
        return Timer.builder("calls").publishPercentileHistogram().register(registry);
    }

    /** Ends the clock. */
    @TearDown
    public void end() {
        coarse.close();
    }

    /** {@return a latency between 5 and 21 microseconds} */
    private long latencyNs() {
        latencyNs = (latencyNs + 997) & 0x3fff;
        return 5000 + latencyNs;
    }

    /** {@return the time of day; the baseline} */
    @Benchmark
    public long timeOfDay() {
        return Clock.SYSTEM.wallTime();
    }

    /** A timer with the system's clock. */
    @Benchmark
    public void systemClock() {
        systemTimer.record(latencyNs(), TimeUnit.NANOSECONDS);
    }

    /** A timer with a coarse clock. */
    @Benchmark
    public void coarseClock() {
        coarseTimer.record(latencyNs(), TimeUnit.NANOSECONDS);
    }
}
