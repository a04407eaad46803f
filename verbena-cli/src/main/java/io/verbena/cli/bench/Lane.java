// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.QueuePair;

/**
 * A connected queue pair that carries messages of one size.
 *
 * @param station the side it belongs to
 * @param pair the queue pair
 * @param completions where it reports
 * @param bytes the length of its messages
 */
record Lane(Station station, QueuePair pair, Completions completions, int bytes) {
    /** {@return a lane that is not connected yet} */
    static Lane open(Station station, int index, int bytes) {
        return new Lane(
                station, station.createPair(index), station.completions(index, bytes), bytes);
    }

    int slots() {
        return station.plan().slotsOf(bytes);
    }

    /** {@return where a slot starts, in either direction} */
    long offset(int slot) {
        return (long) slot * Plan.stride(bytes);
    }

    /** {@return the memory that the slots cover} */
    long areaBytes() {
        return offset(slots());
    }
}
