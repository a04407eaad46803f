// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * What a method has done so far, and how many calls of it there may be. Any thread may call any
 * method.
 */
public final class MethodStatus {
    private static final int DIGITS = 2;

    private final ConcurrencyLimiter limiter;
    private final AtomicInteger concurrency = new AtomicInteger();
    private final LongAdder count = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final LongAdder rejected = new LongAdder();
    private final Recorder latencies = new Recorder(DIGITS);

    MethodStatus(ConcurrencyLimiter limiter) {
        this.limiter = limiter;
    }

    /**
     * {@return whether one call more is allowed, which is counted then}
     *
     * @param timeoutMs how long its client waits, or -1
     */
    public boolean tryEnter(int timeoutMs) {
        int now = concurrency.incrementAndGet();
        if (limiter.isAllowed(now, timeoutMs)) {
            return true;
        }
        concurrency.decrementAndGet();
        rejected.increment();
        return false;
    }

    /**
     * A call is over.
     *
     * @param latencyNs how long it took
     * @param errorCode how it went, 0 for well
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

    /** {@return calls that are being worked on} */
    public int concurrency() {
        return concurrency.get();
    }

    /** {@return the most calls at a time that are allowed now; 0 is no limit} */
    public int maxConcurrency() {
        return limiter.maxConcurrency();
    }

    /** {@return calls that went well} */
    public long count() {
        return count.sum();
    }

    /** {@return calls that failed} */
    public long errors() {
        return errors.sum();
    }

    /** {@return calls that the limiter turned away} */
    public long rejected() {
        return rejected.sum();
    }

    /**
     * {@return latencies in microseconds since the last call of this method, which one may make}
     */
    public Histogram takeLatencies() {
        return latencies.getIntervalHistogram();
    }
}
