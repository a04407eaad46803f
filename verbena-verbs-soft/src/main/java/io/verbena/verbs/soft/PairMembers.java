// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.VerbsException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queue pairs of a completion queue, by the number of their bell. Changes take a lock; readers
 * get an array that only loses members.
 */
final class PairMembers {
    private static final int ROUND = 64;

    private final ReentrantLock lock = new ReentrantLock();
    private final BitSet indices = new BitSet();
    private volatile QueuePairEngine[] members = {};
    private boolean isClosed;

    /** {@return the members, with gaps; later members are in a new array} */
    QueuePairEngine[] all() {
        return members;
    }

    /** Adds a queue pair; {@return the number of its bell} */
    int add(QueuePairEngine pair) {
        lock.lock();
        try {
            if (isClosed) {
                throw new IllegalStateException("completion queue is closed");
            }
            int index = indices.nextClearBit(0);
            if (index >= ControlLayout.MAX_INDEX) {
                throw new VerbsException(
                        "ibv_create_qp",
                        Errno.ENOMEM,
                        "queue pairs of one completion queue: "
                                + (index + 1)
                                + " (expected: at most "
                                + ControlLayout.MAX_INDEX
                                + ")");
            }
            int length = index + ROUND & -ROUND;
            QueuePairEngine[] changed = Arrays.copyOf(members, Math.max(members.length, length));
            changed[index] = pair;
            // after everything that takes memory: an index without a member would stay for ever
            indices.set(index);
            members = changed;
            return index;
        } finally {
            lock.unlock();
        }
    }

    void remove(int index) {
        lock.lock();
        try {
            // in place: there may be no memory for another array
            QueuePairEngine[] same = members;
            same[index] = null;
            members = same;
            indices.clear(index);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stops new members from joining; {@return false if that was done before}
     *
     * @throws VerbsException with EBUSY if there are members
     */
    boolean close() {
        lock.lock();
        try {
            if (isClosed) {
                return false;
            }
            if (!indices.isEmpty()) {
                throw new VerbsException(
                        "ibv_destroy_cq",
                        Errno.EBUSY,
                        indices.cardinality() + " queue pairs still use the completion queue");
            }
            isClosed = true;
            return true;
        } finally {
            lock.unlock();
        }
    }
}
