// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

/** One way to move bytes between the two processes, ready to be measured again and again. */
interface StreamLane extends AutoCloseable {
    /**
     * {@return a run: round trips of an echo, or writes that were all received}
     *
     * @param count how many
     */
    Measurement run(int count);

    @Override
    void close();
}
