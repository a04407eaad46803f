// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

/** One way of moving messages, ready to be measured repeatedly. */
public interface Lane extends AutoCloseable {
    /**
     * {@return a run of round trips, or of messages that have all arrived}
     *
     * @param count how many
     */
    Measurement run(int count);

    /** Closes what only this lane uses; nothing by default. */
    @Override
    default void close() {}
}
