// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A program that has {@code bench} and nothing else, to be run in the test's JVM or in another. */
@Command(name = "program", subcommands = BenchCommand.class)
public final class BenchProgram {
    private BenchProgram() {}

    /**
     * Runs it and ends the JVM.
     *
     * @param arguments those of the command line
     */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    private static CommandLine commandLine() {
        return new CommandLine(new BenchProgram())
                .setExecutionExceptionHandler(
                        (failure, command, parsed) -> {
                            command.getErr().println(failure.getMessage());
                            return 1;
                        });
    }

    /** {@return the status of {@code bench} with the words of a line} */
    static int run(String line, StringWriter out, StringWriter err) {
        return commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(("bench " + line).split(" ", -1));
    }
}
