// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

/** Prints what was measured. */
interface Report {
    /** Called once, before the first row. */
    void begin(Setting setting);

    /** Called for each message size as soon as it is done. */
    void row(Setting setting, Row row);

    /** Called once, after the last row. */
    void end();
}
