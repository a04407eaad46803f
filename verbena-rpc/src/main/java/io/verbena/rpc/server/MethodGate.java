// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.rpc.spi.MethodStatus;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** Admits calls of a method as its limiter allows, and counts them. Any thread. */
public final class MethodGate implements MethodStatus {
    private static final int DIGITS = 2;

    private final ConcurrencyLimiter limiter;
    private final AtomicInteger concurrency = new AtomicInteger();
    private final LongAdder count = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final Recorder latencies = new Recorder(DIGITS);

    MethodGate(ConcurrencyLimiter limiter) {
        this.limiter = limiter;
    }

    /**
     * {@return whether one more call is allowed; if so, it is counted}
     *
     * @param timeoutMs how long its client waits, or -1
     */
    public boolean tryEnter(int timeoutMs) {
        int now = concurrency.incrementAndGet();
        boolean isAllowed = false;
        try {
            isAllowed = limiter.isAllowed(now, timeoutMs);
        } finally {
            if (!isAllowed) {
                concurrency.decrementAndGet();
                rejected.increment();
            }
        }
        return isAllowed;
    }

    /**
     * A call is over.
     *
     * @param latencyNs how long it took
     * @param errorCode how it ended; 0 means success
     */
    public void leave(long latencyNs, int errorCode) {
        concurrency.decrementAndGet();
        long latencyUs = latencyNs / 1000;
        if (errorCode == 0) {
            count.increment();
        } else {
            errors.increment();
        }
        latencies.recordValue(Math.max(0, latencyUs));
        limiter.onEnd(latencyUs, errorCode);
    }

    @Override
    public int concurrency() {
        return concurrency.get();
    }

    @Override
    public int maxConcurrency() {
        return limiter.maxConcurrency();
    }

    @Override
    public long count() {
        return count.sum();
    }

    @Override
    public long errors() {
        return errors.sum();
    }

    @Override
    public long rejected() {
        return rejected.sum();
    }

    @Override
    public Histogram takeLatencies() {
        return latencies.getIntervalHistogram();
    }
}
