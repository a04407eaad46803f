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
    private Optional<QueuePair> parked = Optional.empty();

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

    /** {@return a queue pair in state RESET that waits here for its next use} */
    Optional<QueuePair> parked() {
        return parked;
    }

    /** Leaves a queue pair in state RESET here for the next use. */
    void park(QueuePair pair) {
        parked = Optional.of(pair);
    }

    /** {@return the queue pair that waited here, which now belongs to the caller} */
    Optional<QueuePair> takeParked() {
        Optional<QueuePair> taken = parked;
        parked = Optional.empty();
        return taken;
    }
}
