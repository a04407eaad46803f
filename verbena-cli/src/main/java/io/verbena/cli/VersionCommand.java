// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code verbena version}: the same as {@code --version}. */
@Command(
        name = "version",
        description = "Print the version.",
        versionProvider = ProgramVersion.class)
final class VersionCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().printVersionHelp(spec.commandLine().getOut());
    }
}
