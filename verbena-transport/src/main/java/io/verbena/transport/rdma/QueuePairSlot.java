// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.QueuePair;
import java.util.Optional;

/**
 * A place for one queue pair in a completion group. It outlives the connections that use it one
 * after the other: each claim gives it a new generation.
 */
final class QueuePairSlot {
    private final CompletionGroup group;
    private final int index;
    private int generation;

    /** Itself, made in advance: claiming must not fail half-way. */
    private final Optional<QueuePairSlot> claimed = Optional.of(this);

    /** Null if none is parked: parking takes no memory. */
    private QueuePair parked;

    /** Null unless a queue pair is to be closed, which may fail for want of memory. */
    private QueuePair left;

    QueuePairSlot(CompletionGroup group, int index) {
        this.group = group;
        this.index = index;
    }

    CompletionGroup group() {
        return group;
    }

    int index() {
        return index;
    }

    int generation() {
        return generation;
    }

    /** Begins the next use. Under the group's lock. */
    void nextGeneration() {
        generation++;
    }

    /** {@return itself} Takes no memory. */
    Optional<QueuePairSlot> claimed() {
        return claimed;
    }

    /** {@return whether a queue pair in state RESET waits here for its next use} */
    boolean hasParked() {
        return parked != null;
    }

    /** Leaves a queue pair in state RESET here for the next use. */
    void park(QueuePair pair) {
        parked = pair;
    }

    /**
     * Closes a queue pair that nobody uses; if that fails, {@link #closeLeft} tries again before
     * the next use and at the end.
     */
    void close(QueuePair pair) {
        left = pair;
        closeLeft();
    }

    /** Closes the queue pair that could not be closed, if there is one. */
    void closeLeft() {
        if (left != null) {
            left.close();
            left = null;
        }
    }

    /** {@return the queue pair that waited here, which now belongs to the caller} */
    Optional<QueuePair> takeParked() {
        Optional<QueuePair> taken = Optional.ofNullable(parked);
        parked = null;
        return taken;
    }
}
