// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ./verbena compare}. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Measure the same calls with Verbena, grpc-java and brpc-java in turn, and write a"
                    + " table and plots.",
            "Each contestant has two processes of its own. Figures are medians over the rounds."
        })
public final class CompareCommand implements Callable<Integer> {
    private static final int MAX_SECONDS = 600;
    private static final int MAX_ROUNDS = 99;

    @Spec private CommandSpec spec;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long each measurement takes. Default: ${DEFAULT-VALUE}.")
    private double seconds = 2;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many times each contestant runs. Default: ${DEFAULT-VALUE}.")
    private int rounds = 3;

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Only contestants whose name begins with this: verbena-soft-adaptive,"
                            + " verbena-soft-polling, verbena-soft-attachment, verbena-tcp,"
                            + " grpc-java, brpc-java.")
    private List<String> only = List.of("");

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            description = "Only these sizes, of 32, 4096, 65536 and 1048576.")
    private List<Integer> sizes = List.of();

    @Option(names = "--json", description = "Print one JSON object per row.")
    private boolean json;

    @Option(
            names = "--output",
            paramLabel = "DIR",
            description = "Where the table and plots go. Default: ${DEFAULT-VALUE}.")
    private Path output = Path.of("docs", "benchmarks");

    /** Set by the launcher. */
    @Option(names = "--brpc-libraries", hidden = true, required = true)
    private Path brpcLibraries;

    private CompareCommand() {}

    /**
     * Runs it and ends the JVM.
     *
     * @param arguments see {@code --help}
     */
    public static void main(String[] arguments) {
        System.exit(
                new CommandLine(new CompareCommand())
                        .setExecutionExceptionHandler(
                                (failure, command, _) -> {
                                    command.getErr().println("verbena: " + failure.getMessage());
                                    return 1;
                                })
                        .execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        Contest.Setup setup = setup();
        PrintWriter out = spec.commandLine().getOut();
        Map<Contestant, Map<Cell, Figures>> medians =
                new Contest(setup, spec.commandLine().getErr()).run();
        ContestReport report = new ContestReport(setup, medians);
        Files.createDirectories(output);
        Files.writeString(output.resolve("compare.md"), report.markdown());
        Files.writeString(output.resolve("compare.json"), report.json());
        Files.writeString(output.resolve("compare-latency.svg"), report.latencyPlot());
        Files.writeString(output.resolve("compare-rate.svg"), report.ratePlot());
        out.print(json ? report.json() : report.table());
        out.flush();
        return 0;
    }

    private Contest.Setup setup() {
        check(seconds > 0 && seconds <= MAX_SECONDS, "--seconds", seconds, "0.1.." + MAX_SECONDS);
        check(rounds >= 1 && rounds <= MAX_ROUNDS, "--rounds", rounds, "1.." + MAX_ROUNDS);
        List<Contestant> contestants =
                Arrays.stream(Contestant.values())
                        .filter(each -> only.stream().anyMatch(each.key()::startsWith))
                        .toList();
        check(!contestants.isEmpty(), "--only", only, "the beginning of a contestant's name");
        List<Cell> cells =
                Cell.all().stream()
                        .filter(cell -> sizes.isEmpty() || sizes.contains(cell.bytes()))
                        .toList();
        check(!cells.isEmpty(), "--bytes", sizes, "32, 4096, 65536 or 1048576");
        long measureMs = Math.round(seconds * 1000);
        // half the measuring time, and at least long enough to compile the code that runs
        long warmUpMs = Math.max(measureMs / 2, Math.min(measureMs, 1000));
        return new Contest.Setup(
                contestants, cells, rounds, warmUpMs, measureMs, brpcLibraries.toAbsolutePath());
    }

    private void check(boolean isRight, String option, Object value, String expected) {
        if (!isRight) {
            throw new ParameterException(
                    spec.commandLine(),
                    String.format(Locale.ROOT, "%s: %s (expected: %s)", option, value, expected));
        }
    }
}
