// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.WorkCompletion;

/**
 * A queue pair that only produces completions. Every field of a completion follows from its id, so
 * that a torn completion is noticed.
 */
final class StressOwner implements CompletionOwner {
    private final int number;

    StressOwner(int number) {
        this.number = number;
    }

    boolean offer(CompletionRing ring, int id) {
        return ring.offer(this, id, CompletionRing.kind(id, id + 1, id + 2), id + 3, id + 4, -1);
    }

    boolean isWhole(WorkCompletion completion) {
        int id = (int) completion.id();
        return completion.statusCode() == id
                && completion.length() == id + 3
                && completion.immediate() == id + 4
                && completion.flags() == id + 2
                && completion.queuePairNumber() == number;
    }

    @Override
    public int generation() {
        return 0;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public void freeSendSlots(long index) {
        // there is no queue with slots to free
    }
}
