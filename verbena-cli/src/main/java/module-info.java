// SPDX-License-Identifier: Apache-2.0

/** The command line, {@code ./verbena}. */
module io.verbena.cli {
    requires HdrHistogram;
    requires info.picocli;
    requires io.verbena.examples;
    requires io.verbena.verbs;
    requires io.verbena.verbs.ibv;
    requires io.verbena.verbs.soft;
    requires java.management;

    opens io.verbena.cli to
            info.picocli;
    opens io.verbena.cli.bench to
            info.picocli;
    opens io.verbena.cli.demo to
            info.picocli;
    opens io.verbena.cli.pingpong to
            info.picocli;
    opens io.verbena.cli.rping to
            info.picocli;
}
