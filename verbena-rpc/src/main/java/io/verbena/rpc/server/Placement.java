// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

/**
 * Where the calls of a method run, learned from how long they take: on the thread that read the
 * request, if that is shorter than waking another thread, or else each on a virtual thread. A
 * method that turns out to block is kept apart for longer each time.
 *
 * <p>Threads: any, without any order between them: a call that is counted twice or not at all only
 * moves a decision by one call.
 */
public final class Placement {
    /** About what it costs to wake another thread. */
    private static final long QUICK_NS = 30_000;

    /** Nobody computes that long between two polls: the method has blocked, or was preempted. */
    private static final long SLOW_NS = 500_000;

    /** A single run counts for no more than this in the average. */
    private static final long MOST_COUNTED_NS = 4 * QUICK_NS;

    private static final int WEIGHT = 8;

    /** A method that is slow once in more runs than this was probably preempted. */
    private static final int RARE = 1000;

    private static final int SHORTEST_STAY = 64;
    private static final int LONGEST_STAY = 4096;
    private static final int STEP = 4;

    private long averageNs;

    /** How many calls run apart before the next one is tried in place. */
    private int callsApart;

    /** How long the method stayed apart the last time. */
    private int stay = SHORTEST_STAY / STEP;

    /** Quick runs since the last slow one. */
    private int quickRuns;

    /** A method that nothing is known of. */
    public Placement() {}

    /** {@return whether the next call runs in place} */
    public boolean isInPlace() {
        if (callsApart == 0) {
            return true;
        }
        callsApart--;
        return false;
    }

    /**
     * A call has run in place.
     *
     * @param ns how long it took
     */
    public void onRun(long ns) {
        averageNs += (Math.min(ns, MOST_COUNTED_NS) - averageNs) / WEIGHT;
        if (ns < SLOW_NS && averageNs < QUICK_NS) {
            quickRuns++;
            return;
        }
        stay = quickRuns >= RARE ? SHORTEST_STAY : Math.min(stay * STEP, LONGEST_STAY);
        callsApart = stay;
        averageNs = 0;
        quickRuns = 0;
    }
}
