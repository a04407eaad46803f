// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import java.io.PrintWriter;

/** A measurement, or a part of it, to print for people or for programs. */
public interface Report {
    /**
     * Prints it for people.
     *
     * @param out receives the text
     */
    void printText(PrintWriter out);

    /**
     * Prints it for programs, as one JSON object on a line; nothing by default, for parts that are
     * of no use to them.
     *
     * @param out receives the text
     */
    default void printJson(PrintWriter out) {}
}
