// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.QueuePairAttributes;

/**
 * How long a queue pair waits for its peer to take its ring: as long as a network would retransmit
 * the requests, then until the peer has answered the question whether it is ready. Used inside the
 * turn; any thread may read the deadline.
 */
final class AttachTimer {
    /** The shortest time before a peer that seems not to be ready is asked about it. */
    private static final long LEAST_NS = 500_000_000;

    private volatile long deadlineNs = Deadline.NEVER;
    private boolean isPeerDoubted;
    private int answers;

    /** {@return when to ask the peer, or {@link Deadline#NEVER}} Any thread. */
    long deadlineNs() {
        return deadlineNs;
    }

    /** {@return whether this call started it} With a timeout of zero it never runs. */
    boolean start(QueuePairAttributes settings) {
        if (deadlineNs != Deadline.NEVER || isPeerDoubted || settings.timeout() == 0) {
            return false;
        }
        long retriesNs = (4096L << settings.timeout()) * (settings.retryCount() + 1);
        deadlineNs = System.nanoTime() + Math.max(retriesNs, LEAST_NS);
        return true;
    }

    void stop() {
        deadlineNs = Deadline.NEVER;
        answers = 0;
    }

    /** {@return whether the peer must be asked now; true only once} */
    boolean expire(long nowNs) {
        if (!Deadline.isDue(deadlineNs, nowNs)) {
            return false;
        }
        deadlineNs = Deadline.NEVER;
        isPeerDoubted = true;
        return true;
    }

    /** {@return whether an answer was awaited; from now on none is} */
    boolean takeAnswer() {
        boolean wasDoubted = isPeerDoubted;
        isPeerDoubted = false;
        answers += wasDoubted ? 1 : 0;
        return wasDoubted;
    }

    /** {@return whether the peer has answered more than once with no change in between} */
    boolean isRepeated() {
        return answers > 1;
    }

    /** Forgets the deadline and the question. */
    void reset() {
        stop();
        isPeerDoubted = false;
    }
}
