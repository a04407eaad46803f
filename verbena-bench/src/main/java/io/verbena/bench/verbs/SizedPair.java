// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.verbs.QueuePair;

/**
 * A connected queue pair that carries messages of one size.
 *
 * @param station the side it belongs to
 * @param queuePair the queue pair
 * @param completions its completions
 * @param bytes the length of its messages
 */
record SizedPair(Station station, QueuePair queuePair, Completions completions, int bytes) {
    /** {@return a pair that is not connected yet} */
    static SizedPair open(Station station, int index, int bytes) {
        return new SizedPair(
                station, station.createPair(index), station.completions(index, bytes), bytes);
    }

    int slots() {
        return station.plan().slotsOf(bytes);
    }

    /** {@return the offset of a slot, in either direction} */
    long offset(int slot) {
        return (long) slot * TestPlan.stride(bytes);
    }

    /**
     * In all slots, fills the outgoing memory with a round's bytes and clears the incoming memory.
     */
    void prepare(int round) {
        long areaBytes = offset(slots());
        RoundPattern.fill(station.outgoing().memory().asSlice(0, areaBytes), round);
        station.incoming().memory().asSlice(0, areaBytes).fill((byte) 0);
    }

    /**
     * Throws if one of the slots that a round must have filled does not hold its bytes.
     *
     * @param round which round
     * @param total how many messages there were in all rounds, this one included
     * @param messages how many there were in this round
     */
    void check(int round, long total, int messages) {
        int slots = slots();
        for (long i = total - Math.min(messages, slots); i < total; i++) {
            long from = offset((int) (i % slots));
            RoundPattern.check(station.incoming().memory(), from, bytes, round);
        }
    }
}
