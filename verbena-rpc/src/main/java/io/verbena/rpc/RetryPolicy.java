// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * Decides which failed tries of a call are followed by another, and how long to wait first. All
 * tries share the deadline and {@code max_retry} of the call.
 *
 * <p>Threads: any; it must not block, for the call cannot end meanwhile.
 *
 * <p>Failure: if it throws, the call is not retried, and ends with EINTERNAL and both reasons.
 */
@FunctionalInterface
public interface RetryPolicy {
    /** Retries where the server did not run the call, by brpc's list of codes, without waiting. */
    RetryPolicy DEFAULT = RetriedCodes::contains;

    /** Never retries. */
    RetryPolicy NEVER = code -> false;

    /**
     * {@return whether a try that failed is followed by another}
     *
     * @param code the error code, usually one of {@link RpcError}
     */
    boolean isRetried(int code);

    /**
     * {@return how long to wait before the next try, in nanoseconds; 0 or less means not at all}
     *
     * @param retries how many retries came before
     */
    default long backoffNs(int retries) {
        return 0;
    }

    /**
     * {@return the same policy, but it waits equally long before each retry}
     *
     * @param millis how long
     */
    default RetryPolicy withFixedBackoff(long millis) {
        return withJitteredBackoff(millis, millis);
    }

    /**
     * {@return the same policy, but it waits before each retry, each time a different while, so
     * that the calls that failed together do not come back together}
     *
     * @param leastMs the shortest wait
     * @param mostMs the longest wait
     */
    default RetryPolicy withJitteredBackoff(long leastMs, long mostMs) {
        Options.require(leastMs >= 0, "backoff", leastMs, ">= 0");
        Options.require(mostMs >= leastMs, "longest backoff", mostMs, ">= " + leastMs);
        long leastNs = TimeUnit.MILLISECONDS.toNanos(leastMs);
        long mostNs = TimeUnit.MILLISECONDS.toNanos(mostMs);
        RetryPolicy codes = this;
        return new RetryPolicy() {
            @Override
            public boolean isRetried(int code) {
                return codes.isRetried(code);
            }

            @Override
            public long backoffNs(int retries) {
                return leastNs + ThreadLocalRandom.current().nextLong(mostNs - leastNs + 1);
            }
        };
    }
}
