// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whether one of several channels works, as its last calls say. One that has failed several times
 * in a row gets a call now and then, which finds out; the pause between them grows. Any thread;
 * takes no lock, and a channel that works writes nothing.
 */
final class ChannelHealth {
    /** So many failures in a row are no coincidence. */
    static final int MOST_FAILURES = 3;

    static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** What a channel that is back waits at most for its share of the calls. */
    static final long MOST_PAUSE_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int MOST_DOUBLINGS = 6;

    private final AtomicInteger failures = new AtomicInteger();

    /** When the next call may find out, in terms of {@link System#nanoTime}. */
    private final AtomicLong nextProbeNs = new AtomicLong();

    /** How often a call has tried to find out since the channel worked. */
    private final AtomicInteger probes = new AtomicInteger();

    /** {@return whether it works, as far as is known} */
    boolean isGood() {
        return failures.get() < MOST_FAILURES;
    }

    /** {@return whether a call is to find out now whether the channel works again} */
    boolean tryProbe(long nowNs) {
        long dueNs = nextProbeNs.get();
        if (nowNs - dueNs < 0 || !nextProbeNs.compareAndSet(dueNs, nowNs + pauseNs(probes.get()))) {
            return false;
        }
        probes.getAndIncrement();
        return true;
    }

    private static long pauseNs(int probes) {
        return Math.min(FIRST_PAUSE_NS << Math.min(probes + 1, MOST_DOUBLINGS), MOST_PAUSE_NS);
    }

    /** A call was answered, whatever the answer. */
    void onAnswer() {
        if (failures.get() != 0) {
            failures.set(0);
        }
    }

    /** A call got no answer. */
    void onFailure(long nowNs) {
        // a count that is high enough stays, and cannot overflow
        if (isGood() && failures.incrementAndGet() == MOST_FAILURES) {
            probes.set(0);
            nextProbeNs.set(nowNs + FIRST_PAUSE_NS);
        }
    }
}
