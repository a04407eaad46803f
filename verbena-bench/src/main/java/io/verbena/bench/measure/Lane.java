// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

/** One contestant's way of moving messages, ready to be measured again and again. */
public interface Lane extends AutoCloseable {
    /**
     * {@return a run: round trips, or messages that have all arrived}
     *
     * @param count how many
     */
    Measurement run(int count);

    /** Closes what the lane alone uses; nothing by default. */
    @Override
    default void close() {}
}
