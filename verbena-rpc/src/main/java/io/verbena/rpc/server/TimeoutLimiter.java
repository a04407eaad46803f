// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Takes a call only if its client will still be there when it is answered, judged by how long calls
 * took lately; brpc's {@code timeout}.
 */
final class TimeoutLimiter implements ConcurrencyLimiter {
    private static final int US_PER_MS = 1000;

    /** The newest call counts as much as one in so many. */
    private static final int WEIGHT = 16;

    private final int max;
    private final AtomicLong averageUs = new AtomicLong();

    TimeoutLimiter(int max) {
        this.max = max;
    }

    @Override
    public boolean isAllowed(int concurrency, int timeoutMs) {
        // one at a time is always taken: else a slow phase would never be seen to end
        return concurrency <= 1
                || concurrency <= max
                        && (timeoutMs < 0 || averageUs.get() < (long) timeoutMs * US_PER_MS);
    }

    @Override
    public void onEnd(long latencyUs, int errorCode) {
        long average = averageUs.get();
        // if another is faster, its call stands for this one, too
        averageUs.weakCompareAndSetPlain(average, average + (latencyUs - average) / WEIGHT);
    }

    @Override
    public int maxConcurrency() {
        return max;
    }
}
