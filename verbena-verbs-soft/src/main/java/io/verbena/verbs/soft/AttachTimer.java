// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.QueuePairAttributes;

/**
 * How long a queue pair waits for its peer to take its ring: as long as a network would have the
 * requests repeated, then until the peer has answered whether it is ready. Used inside the turn;
 * the deadline is read by any thread.
 */
final class AttachTimer {
    /** After this time at the earliest a peer that seems not to be ready is asked about it. */
    private static final long LEAST_NS = 500_000_000;

    private volatile long deadlineNs = QueuePairEngine.NEVER;
    private boolean isPeerDoubted;
    private int answers;

    /**
     * {@return when to ask the peer, or another deadline if that is earlier; {@link
     * QueuePairEngine#NEVER} if there is neither} Any thread.
     */
    long deadlineOr(long otherNs) {
        long mine = deadlineNs;
        if (mine == QueuePairEngine.NEVER || otherNs == QueuePairEngine.NEVER) {
            return mine == QueuePairEngine.NEVER ? otherNs : mine;
        }
        return mine - otherNs < 0 ? mine : otherNs;
    }

    /** {@return whether it runs now and did not before} With a timeout of zero it never runs. */
    boolean start(QueuePairAttributes settings) {
        if (deadlineNs != QueuePairEngine.NEVER || isPeerDoubted || settings.timeout() == 0) {
            return false;
        }
        long retriesNs = (4096L << settings.timeout()) * (settings.retryCount() + 1);
        deadlineNs = System.nanoTime() + Math.max(retriesNs, LEAST_NS);
        return true;
    }

    void stop() {
        deadlineNs = QueuePairEngine.NEVER;
        answers = 0;
    }

    /** {@return whether the peer must be asked now; this is said once} */
    boolean expire(long nowNs) {
        if (deadlineNs == QueuePairEngine.NEVER || nowNs - deadlineNs < 0) {
            return false;
        }
        deadlineNs = QueuePairEngine.NEVER;
        isPeerDoubted = true;
        return true;
    }

    /** {@return whether an answer was awaited; it is not any more} */
    boolean takeAnswer() {
        boolean wasDoubted = isPeerDoubted;
        isPeerDoubted = false;
        answers += wasDoubted ? 1 : 0;
        return wasDoubted;
    }

    /** {@return whether the peer has answered again, and in the meantime nothing has changed} */
    boolean isRepeated() {
        return answers > 1;
    }

    /** Forgets deadline and question. */
    void reset() {
        stop();
        isPeerDoubted = false;
    }
}
