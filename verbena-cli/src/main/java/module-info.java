// SPDX-License-Identifier: Apache-2.0

/** The command line, {@code ./verbena}. */
module io.verbena.cli {
    requires HdrHistogram;
    requires com.google.protobuf;
    requires com.google.protobuf.util;
    requires info.picocli;
    requires io.verbena.bench;
    requires io.verbena.examples;
    requires io.verbena.http;
    requires io.verbena.memory;
    requires io.verbena.rpc;
    requires io.verbena.socket;
    requires io.verbena.tools;
    requires io.verbena.transport;
    requires io.verbena.verbs;
    requires io.verbena.verbs.ibv;
    requires io.verbena.verbs.soft;
    requires java.net.http;

    opens io.verbena.cli to
            info.picocli;
    opens io.verbena.cli.call to
            info.picocli;
    opens io.verbena.cli.demo to
            info.picocli;
    opens io.verbena.cli.pingpong to
            info.picocli;
    opens io.verbena.cli.proto to
            com.google.protobuf;
    opens io.verbena.cli.rpc to
            info.picocli;
    opens io.verbena.cli.rping to
            info.picocli;
    opens io.verbena.cli.socket to
            info.picocli;
}
