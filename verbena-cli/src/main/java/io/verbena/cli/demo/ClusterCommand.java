// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena cluster}: several servers behind one channel. */
@Command(
        name = "cluster",
        description = "Several servers, a registry, and a client that balances its calls.",
        subcommands = {ClusterDemoCommand.class})
public final class ClusterCommand implements Runnable {
    @Spec private CommandSpec spec;

    /** A command that picocli fills in and runs. */
    public ClusterCommand() {}

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing required subcommand (expected: demo)");
    }
}
