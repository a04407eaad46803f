// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Decides when a server fails so often that it is left out for a while; brpc's circuit breaker. A
 * long window notices a lasting share of errors, a short one a sudden many. Each time in a row the
 * server is left out for twice as long. Any thread.
 */
final class CircuitBreaker {
    private static final int LONG_CALLS = 3000;
    private static final int LONG_PERCENT = 5;
    private static final int SHORT_CALLS = 1500;
    private static final int SHORT_PERCENT = 10;

    /**
     * How many tries in a row may be overtaken by their backup requests. A good server loses some
     * of these races, its slowest; one that loses them all does not answer.
     */
    static final int MOST_OVERTAKEN = 20;

    static final long LEAST_ISOLATION_MS = 100;
    static final long MOST_ISOLATION_MS = 30_000;

    private final ErrorWindow longWindow = new ErrorWindow(LONG_CALLS, LONG_PERCENT);
    private final ErrorWindow shortWindow = new ErrorWindow(SHORT_CALLS, SHORT_PERCENT);
    private final AtomicInteger overtakenInARow = new AtomicInteger();
    private final AtomicBoolean isBroken = new AtomicBoolean();
    private volatile long isolationMs = LEAST_ISOLATION_MS;
    private volatile long closedNs;
    private volatile boolean wasBroken;

    /**
     * {@return for how long the server must be left out now, in milliseconds; 0 means not at all}
     */
    long onCall(long nowNs, long latencyNs, int errorCode) {
        if (isBroken.get() || isIgnored(errorCode)) {
            return 0;
        }
        if (errorCode != RpcError.EBACKUPREQUEST.code()) {
            overtakenInARow.set(0);
        } else if (overtakenInARow.incrementAndGet() <= MOST_OVERTAKEN) {
            return 0;
        }
        // both see every call
        boolean isLongGood = longWindow.isGoodAfter(errorCode != 0, latencyNs);
        boolean isShortGood = shortWindow.isGoodAfter(errorCode != 0, latencyNs);
        if (isLongGood && isShortGood || !isBroken.compareAndSet(false, true)) {
            return 0;
        }
        boolean isSoonAgain =
                wasBroken && nowNs - closedNs < TimeUnit.MILLISECONDS.toNanos(MOST_ISOLATION_MS);
        isolationMs =
                isSoonAgain ? Math.min(MOST_ISOLATION_MS, isolationMs * 2) : LEAST_ISOLATION_MS;
        wasBroken = true;
        return isolationMs;
    }

    /** A full server does its best; a cancel says nothing about the server. */
    private static boolean isIgnored(int errorCode) {
        return errorCode == RpcError.ELIMIT.code() || errorCode == RpcError.ECANCELED.code();
    }

    /** The server may be called again. */
    void close(long nowNs) {
        if (isBroken.get()) {
            longWindow.reset();
            shortWindow.reset();
            overtakenInARow.set(0);
            closedNs = nowNs;
            isBroken.set(false);
        }
    }
}
