// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.rpc.spi.MethodStatus;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** Admits calls of a method as its limiter allows, and counts them. Any thread. */
public final class MethodGate implements MethodStatus {
    private final ConcurrencyLimiter limiter;
    private final AtomicInteger concurrency = new AtomicInteger();
    private final LongAdder rejected = new LongAdder();

    /** Those of calls that succeeded. */
    private final LatencyCounts successes = new LatencyCounts();

    /** Those of calls that failed. */
    private final LatencyCounts failures = new LatencyCounts();

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
        (errorCode == 0 ? successes : failures).record(latencyUs);
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
        return successes.total();
    }

    @Override
    public long errors() {
        return failures.total();
    }

    @Override
    public long rejected() {
        return rejected.sum();
    }

    @Override
    public Histogram takeLatencies() {
        Histogram all = successes.take();
        all.add(failures.take());
        return all;
    }
}
