// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import io.micrometer.core.instrument.Clock;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A clock for registries of services with hundreds of thousands of calls per second. A timer with a
 * histogram reads the time of day twice per call, to learn whether its time windows are over. That
 * takes longer than everything else it does, and the windows last many seconds: here the time of
 * day may be some milliseconds old, and reading it costs nothing. The time that durations are
 * measured with is exact.
 *
 * <p>Any thread. Has a thread of its own until it is closed; after that, it reads the system's
 * clock.
 *
 * {@snippet :
 * MeterRegistry registry = new SimpleMeterRegistry(SimpleConfig.DEFAULT, new CoarseClock());
 * CallMetrics metrics = new CallMetrics(registry);
 * }
 */
public final class CoarseClock implements Clock, AutoCloseable {
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long CLOSED = Long.MIN_VALUE;

    private final Thread ticker;
    private volatile boolean isClosed;

    /** The time of day; {@link #CLOSED} if nobody keeps it up to date. */
    private volatile long nowMs = Clock.SYSTEM.wallTime();

    /** A clock that runs. */
    public CoarseClock() {
        ticker = Thread.ofPlatform().daemon().name("verbena-metrics-clock").start(this::tick);
    }

    private void tick() {
        while (!isClosed) {
            nowMs = Clock.SYSTEM.wallTime();
            LockSupport.parkNanos(this, TICK_NS);
        }
        nowMs = CLOSED;
    }

    @Override
    public long wallTime() {
        long now = nowMs;
        return now == CLOSED ? Clock.SYSTEM.wallTime() : now;
    }

    @Override
    public long monotonicTime() {
        return Clock.SYSTEM.monotonicTime();
    }

    /** Ends its thread; the clock still works, and is as slow as the system's. */
    @Override
    public void close() {
        isClosed = true;
        LockSupport.unpark(ticker);
    }
}
