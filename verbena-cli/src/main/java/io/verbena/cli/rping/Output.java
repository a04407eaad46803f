// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import java.io.PrintWriter;

/**
 * Where a side prints, and how much.
 *
 * @param out for ping data and debug lines
 * @param err for the rest
 * @param verbose whether to print ping data
 * @param debug whether to print each step
 */
record Output(PrintWriter out, PrintWriter err, boolean verbose, boolean debug) {
    void pingData(String line) {
        if (verbose) {
            out.println(line);
        }
    }

    void step(String line) {
        if (debug) {
            out.println(line);
        }
    }

    void notice(String line) {
        err.println(line);
    }
}
