// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.util.List;

/**
 * How many times lanes are run. In each round every lane has its turn, so that the machine's noise
 * affects all of them alike; the result is the median over the rounds.
 *
 * @param rounds how many
 */
public record Plan(int rounds) {
    /** How many runs a warm-up has. */
    public static final int WARMUPS = 10;

    /** Checks the number of rounds. */
    public Plan {
        if (rounds < 1) {
            throw new IllegalArgumentException("rounds: " + rounds + " (expected: >= 1)");
        }
    }

    /**
     * Warms up all lanes, one after another, then runs them in turn.
     *
     * @param entries the lanes; they keep their measurements
     */
    public void run(List<Entry> entries) {
        entries.forEach(entry -> entry.warmUp(WARMUPS));
        for (int round = 0; round < rounds; round++) {
            entries.forEach(Entry::run);
        }
    }
}
