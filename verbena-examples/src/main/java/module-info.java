// SPDX-License-Identifier: Apache-2.0

/** Small programs that show how to use the verbs. */
module io.verbena.examples {
    requires transitive io.verbena.verbs;

    exports io.verbena.examples;
}
