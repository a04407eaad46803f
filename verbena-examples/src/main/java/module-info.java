// SPDX-License-Identifier: Apache-2.0

/** Small programs that show how to use each layer. */
module io.verbena.examples {
    requires transitive io.verbena.rpc;
    requires transitive io.verbena.verbs;
    requires io.verbena.socket;

    exports io.verbena.examples;
    exports io.verbena.examples.tutorial;

    opens io.verbena.examples.proto to
            com.google.protobuf;
}
