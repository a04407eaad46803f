// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.balance;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The load of a server: calls in flight, and the average latency, which rises at once and falls
 * slowly. Any thread; two updates at the same moment may lose one of them, which is harmless.
 */
final class PeakLatency {
    /** An old latency counts less and less: after this time, a third of what it did. */
    private static final double DECAY_NS = 10e9;

    /** The same for a server that nobody calls: one call every few seconds finds out. */
    private static final double IDLE_NS = 1e9;

    /** A failed try counts at least this many times the average. */
    private static final double FAILURE_FACTOR = 2;

    private static final double MOST_NS = 30e9;

    private static final VarHandle IN_FLIGHT;

    static {
        try {
            IN_FLIGHT =
                    MethodHandles.lookup().findVarHandle(PeakLatency.class, "inFlight", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // through IN_FLIGHT
    private volatile int inFlight;

    /** Plain: readers need not see the latest. A double is written whole on every 64-bit JVM. */
    private double averageNs;

    private long updatedNs;

    /** When a call last began or ended. */
    private long usedNs;

    void begin(long nowNs) {
        int _ = (int) IN_FLIGHT.getAndAdd(this, 1);
        usedNs = nowNs;
    }

    void end(long nowNs, long latencyNs, int errorCode) {
        int _ = (int) IN_FLIGHT.getAndAdd(this, -1);
        usedNs = nowNs;
        double sample = latencyNs;
        if (Feedback.isCutShort(errorCode)) {
            // it would have taken at least this long
            if (sample <= averageNs) {
                return;
            }
        } else if (errorCode != 0) {
            sample = Math.min(MOST_NS, Math.max(sample, averageNs * FAILURE_FACTOR));
        }
        double average = averageNs;
        if (sample >= average) {
            averageNs = sample;
        } else {
            double keep = Math.exp(-Math.max(0, nowNs - updatedNs) / DECAY_NS);
            averageNs = average * keep + sample * (1 - keep);
        }
        updatedNs = nowNs;
    }

    /** {@return latency times the calls that would be in flight} */
    double load(long nowNs) {
        double average = averageNs;
        if (average == 0) {
            // The first call is for whoever is new; the others wait for its outcome. A server that
            // has just started may take longer than callers wait, and would have all of them.
            int waiting = inFlight;
            return waiting == 0 ? 0 : MOST_NS * (waiting + 1);
        }
        // A server that is avoided because it was slow once must soon be tried again. One that is
        // called and does not answer is not avoided yet.
        long idleNs = nowNs - usedNs;
        double decayed = idleNs > IDLE_NS ? average * Math.exp(1 - idleNs / IDLE_NS) : average;
        return decayed * (inFlight + 1);
    }

    int inFlight() {
        return inFlight;
    }
}
