// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The turns of all contestants. One that fails is left out of its figures, and the others have
 * theirs: a measurement of half an hour must not be lost to one process that ended.
 */
final class Turns {
    private final PrintWriter progress;
    private final List<String> failed = new ArrayList<>();

    /** A turn. */
    interface Turn<T> {
        /**
         * {@return what was measured}
         *
         * @throws IllegalStateException if a process ended, or took too long
         */
        T take() throws InterruptedException;
    }

    /**
     * Turns that have not begun.
     *
     * @param progress what the user sees of them
     */
    Turns(PrintWriter progress) {
        this.progress = progress;
    }

    /** {@return where the output of processes goes} */
    PrintWriter progress() {
        return progress;
    }

    /**
     * {@return what was measured, or nothing if that failed}
     *
     * @param what the round and the contestant
     * @param turn the measurement
     */
    <T> Optional<T> take(String what, Turn<T> turn) throws InterruptedException {
        print(what);
        try {
            return Optional.of(turn.take());
        } catch (IllegalStateException e) {
            failed.add(what);
            print(what + " failed and is left out: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** {@return the turns that failed} */
    List<String> failed() {
        return List.copyOf(failed);
    }

    private void print(String line) {
        progress.println(line);
        progress.flush();
    }
}
