// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Accepts a call only if its client will still be waiting when it is answered, judging by recent
 * latencies; brpc's {@code timeout}.
 */
final class TimeoutLimiter implements ConcurrencyLimiter {
    private static final int US_PER_MS = 1000;

    /** The newest call has a weight of one in this many. */
    private static final int WEIGHT = 16;

    private final int max;
    private final AtomicLong averageUs = new AtomicLong();

    TimeoutLimiter(int max) {
        this.max = max;
    }

    @Override
    public boolean isAllowed(int concurrency, int timeoutMs) {
        // one call is always accepted: otherwise the end of a slow phase would go unnoticed
        return concurrency <= 1
                || concurrency <= max
                        && (timeoutMs < 0 || averageUs.get() < (long) timeoutMs * US_PER_MS);
    }

    @Override
    public void onEnd(long latencyUs, int errorCode) {
        long average = averageUs.get();
        // if another thread is faster, this sample is dropped
        averageUs.weakCompareAndSetPlain(average, average + (latencyUs - average) / WEIGHT);
    }

    @Override
    public int maxConcurrency() {
        return max;
    }
}
