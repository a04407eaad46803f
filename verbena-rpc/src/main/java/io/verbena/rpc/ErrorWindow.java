// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether the errors of a server cost more than its window allows; brpc's {@code EmaErrorRecorder}.
 * An error costs its latency, at most twice the average; costs fade with every success. Any thread.
 */
final class ErrorWindow {
    /** What is left of a cost after a whole window of successes. */
    private static final double EPSILON = 0.02;

    private static final int MOST_COST_FACTOR = 2;

    private final int size;
    private final double errorShare;
    private final double smoothing;

    /** Doubles, as bits. */
    private final AtomicLong averageNs = new AtomicLong();

    private final AtomicLong costNs = new AtomicLong();
    private final AtomicInteger firstCalls = new AtomicInteger();
    private final AtomicInteger firstErrors = new AtomicInteger();

    /**
     * An empty one.
     *
     * @param size how many calls it looks back
     * @param percent how many of 100 may fail
     */
    ErrorWindow(int size, int percent) {
        this.size = size;
        this.errorShare = percent / 100.0;
        this.smoothing = Math.pow(EPSILON, 1.0 / size);
    }

    /** {@return whether the server is still good enough after this call} */
    boolean isGoodAfter(boolean isError, long latencyNs) {
        boolean isGood = isError ? isGoodAfterError(latencyNs) : isGoodAfterSuccess(latencyNs);
        if (firstCalls.get() < size) {
            // the averages mean nothing yet: count
            firstCalls.incrementAndGet();
            return !isError || firstErrors.incrementAndGet() < size * errorShare;
        }
        return isGood;
    }

    private boolean isGoodAfterError(long latencyNs) {
        double average = Double.longBitsToDouble(averageNs.get());
        double cost =
                average == 0
                        ? (double) latencyNs
                        : Math.min((double) latencyNs, average * MOST_COST_FACTOR);
        double sum =
                Double.longBitsToDouble(
                        costNs.updateAndGet(
                                bits ->
                                        Double.doubleToRawLongBits(
                                                Double.longBitsToDouble(bits) + cost)));
        return sum <= average * size * errorShare * (1 + EPSILON);
    }

    private boolean isGoodAfterSuccess(long latencyNs) {
        averageNs.updateAndGet(
                bits -> {
                    double average = Double.longBitsToDouble(bits);
                    return Double.doubleToRawLongBits(
                            average == 0
                                    ? latencyNs
                                    : average * smoothing + latencyNs * (1 - smoothing));
                });
        if (costNs.get() != 0) {
            costNs.updateAndGet(
                    bits -> Double.doubleToRawLongBits(Double.longBitsToDouble(bits) * smoothing));
        }
        return true;
    }

    void reset() {
        averageNs.set(0);
        costNs.set(0);
        firstCalls.set(0);
        firstErrors.set(0);
    }
}
