// SPDX-License-Identifier: Apache-2.0

/** What the programs of the command line share. */
module io.verbena.tools {
    requires transitive info.picocli;
    requires transitive io.verbena.memory;
    requires transitive io.verbena.rpc;
    requires transitive io.verbena.transport;
    requires transitive io.verbena.verbs;
    requires java.management;

    exports io.verbena.tools;
    exports io.verbena.tools.proto;

    opens io.verbena.tools to
            info.picocli;
    opens io.verbena.tools.proto to
            com.google.protobuf;
}
