// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code ./verbena compare}. */
@Command(
        name = "verbena compare",
        mixinStandardHelpOptions = true,
        description = {
            "Measure the same calls with Verbena, grpc-java and brpc-java in turn, and echoes with"
                    + " plain Netty and Aeron; write a table and plots.",
            "Each contestant has two processes of its own. Figures are medians over the rounds."
        })
public final class CompareCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Mixin private ContestOptions contest = new ContestOptions();

    @Option(names = "--json", description = "Print one JSON object per row.")
    private boolean json;

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where the table and plots go. Default: ${DEFAULT-VALUE}.")
    private Path output = Path.of("docs", "benchmarks");

    private CompareCommand() {}

    /**
     * Runs it and ends the JVM.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new CompareCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler(
                        (failure, command, _) -> {
                            command.getErr().println("verbena: " + failure.getMessage());
                            return 1;
                        });
    }

    private int end(List<String> failed) {
        if (failed.isEmpty()) {
            return 0;
        }
        spec.commandLine()
                .getErr()
                .println("verbena: left out because they failed: " + String.join("; ", failed));
        return 1;
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        Contest.Setup setup = contest.setup();
        PrintWriter out = spec.commandLine().getOut();
        Turns turns = new Turns(spec.commandLine().getErr());
        Map<Contestant, Map<Cell, Figures>> medians = new Contest(setup, turns).run();
        Map<Contestant, CrowdFigures> crowds = new Crowd(setup, turns).run();
        Map<Contestant, Map<Integer, StreamFigures>> streams = new Streams(setup, turns).run();
        ContestReport report = new ContestReport(setup, medians, crowds, streams);
        Files.createDirectories(output);
        Files.writeString(output.resolve("compare.md"), report.markdown());
        Files.writeString(output.resolve("compare.json"), report.json());
        for (var plot : new ContestPlots(setup, medians).byFile().entrySet()) {
            Files.writeString(output.resolve(plot.getKey()), plot.getValue());
        }
        out.print(json ? report.json() : report.table());
        out.flush();
        return end(turns.failed());
    }
}
