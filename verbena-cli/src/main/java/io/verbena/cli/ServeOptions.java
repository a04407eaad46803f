// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** How long a server serves, for commands to mix in. */
final class ServeOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--once", description = "Serve one connection, then end.")
    private boolean once;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "Serve N connections, then end. Default: serve until interrupted.")
    private long count = Long.MAX_VALUE;

    /** {@return how many connections to serve} */
    long connections() {
        if (count < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--count: " + count + " (expected: at least 1)");
        }
        return once ? 1 : count;
    }
}
