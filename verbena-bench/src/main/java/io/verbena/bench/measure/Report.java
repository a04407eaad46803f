// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.io.PrintWriter;

/** Something that was measured, or a part of it, to be printed for people or for programs. */
public interface Report {
    /**
     * Prints it for people.
     *
     * @param out where
     */
    void printText(PrintWriter out);

    /**
     * Prints it for programs, as one JSON object on a line; nothing by default, for a part that is
     * of no use to them.
     *
     * @param out where
     */
    default void printJson(PrintWriter out) {}
}
