// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Measurement;

/** The traffic of a latency test: one exchange after another, each timed. */
interface Exchanges extends Traffic {
    /** The client's part of an exchange; returns when it is complete. */
    void exchange();

    /** The server's part of an exchange; nothing if only its device is needed. */
    default void answer() {}

    @Override
    default Measurement drive(int iterations) {
        long[] stamps = new long[iterations + 1];
        stamps[0] = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            exchange();
            stamps[i + 1] = System.nanoTime();
        }
        return Measurement.ofStamps(stamps);
    }

    @Override
    default void serve(int iterations) {
        for (int i = 0; i < iterations; i++) {
            answer();
        }
    }
}
