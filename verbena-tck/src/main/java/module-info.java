// SPDX-License-Identifier: Apache-2.0
/** The conformance suite that every verbs provider passes. */
open module io.verbena.tck {
    requires transitive io.verbena.verbs;
    requires transitive org.assertj.core;
    requires transitive org.junit.jupiter.api;
    requires transitive org.junit.jupiter.params;

    exports io.verbena.tck;
}
