// SPDX-License-Identifier: Apache-2.0

package io.verbena.compare;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** Options that say what is measured, and for how long; for a command to mix in. */
final class ContestOptions {
    private static final int MAX_SECONDS = 600;
    private static final int MAX_ROUNDS = 99;
    private static final int MAX_CONNECTIONS = 100_000;
    private static final List<Integer> STREAM_BYTES = List.of(64, 1 << 20);
    private static final int MAX_STREAM_BYTES = 4 << 20;

    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--quick",
            description =
                    "A first look: 32 bytes, one round, one second each, no crowd of"
                            + " connections and no streams, unless other options say"
                            + " otherwise.")
    private boolean quick;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long each measurement takes. Default: 2.")
    private Optional<Double> seconds = Optional.empty();

    @Option(
            names = "--rounds",
            paramLabel = "N",
            description = "How many times each contestant runs. Default: 3.")
    private Optional<Integer> rounds = Optional.empty();

    @Option(
            names = "--only",
            paramLabel = "NAME",
            split = ",",
            description =
                    "Only contestants whose name begins with this. Names: ${COMPLETION-CANDIDATES}.",
            completionCandidates = Names.class)
    private List<String> only = List.of("");

    @Option(
            names = "--callers",
            paramLabel = "KIND",
            split = ",",
            description =
                    "Only contestants with these callers: inline (callbacks), platform or virtual"
                            + " (blocking stubs on threads of that kind).")
    private List<CallerKind> callers = List.of(CallerKind.values());

    @Option(
            names = "--services",
            paramLabel = "KIND",
            split = ",",
            description = "Only contestants with these services: nonblocking, ordinary.")
    private List<ServiceKind> services = List.of(ServiceKind.values());

    @Option(
            names = "--bytes",
            paramLabel = "N",
            split = ",",
            description =
                    "Only these sizes, of 32, 4096, 65536 and 1048576. On request also 8388608.")
    private List<Integer> sizes = List.of();

    @Option(
            names = "--connections",
            paramLabel = "N",
            description =
                    "How many connections to open for the memory of one and calls over all of them."
                            + " 0: none. Default: 1000, none with --quick.")
    private Optional<Integer> connections = Optional.empty();

    @Option(
            names = "--stream-bytes",
            paramLabel = "N",
            split = ",",
            description =
                    "Message sizes of streams. 0: no streams. Default: 64 and 1048576, none with"
                            + " --quick.")
    private List<Integer> streamBytes = List.of();

    /** Set by the launcher. */
    @Option(names = "--brpc-libraries", hidden = true, required = true)
    private Path brpcLibraries;

    private static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Arrays.stream(Contestant.values()).map(Contestant::key).iterator();
        }
    }

    /**
     * {@return what was asked for}
     *
     * @throws ParameterException if a value is out of range, or nothing is left to measure
     */
    Contest.Setup setup() {
        double length = seconds.orElse(quick ? 1.0 : 2.0);
        int turns = rounds.orElse(quick ? 1 : 3);
        check(length > 0 && length <= MAX_SECONDS, "--seconds", length, "0.1.." + MAX_SECONDS);
        check(turns >= 1 && turns <= MAX_ROUNDS, "--rounds", turns, "1.." + MAX_ROUNDS);
        int crowd = connections.orElse(quick ? 0 : 1000);
        check(
                crowd >= 0 && crowd <= MAX_CONNECTIONS,
                "--connections",
                crowd,
                "0.." + MAX_CONNECTIONS);
        List<Cell> cells = cells();
        List<Contestant> contestants =
                Arrays.stream(Contestant.values())
                        .filter(each -> only.stream().anyMatch(each.key()::startsWith))
                        .filter(each -> callers.contains(each.caller()))
                        .filter(each -> services.contains(each.service()))
                        .filter(each -> cells.stream().anyMatch(each::measures))
                        .toList();
        check(
                !contestants.isEmpty(),
                "--only",
                String.join(",", only),
                "the beginning of a contestant's name, with the given callers and services");
        long measureMs = Math.round(length * 1000);
        // half the measuring time, and at least long enough to compile the code that runs
        long warmUpMs = Math.max(measureMs / 2, Math.min(measureMs, 1000));
        return new Contest.Setup(
                contestants,
                cells,
                turns,
                warmUpMs,
                measureMs,
                crowd,
                streamSizes(),
                brpcLibraries.toAbsolutePath());
    }

    private List<Cell> cells() {
        List<Integer> wanted = sizes.isEmpty() && quick ? List.of(Cell.SMALLEST) : sizes;
        List<Cell> cells = wanted.isEmpty() ? Cell.usual() : Cell.of(wanted);
        check(!cells.isEmpty(), "--bytes", sizes, "32, 4096, 65536, 1048576 or 8388608");
        return cells;
    }

    private List<Integer> streamSizes() {
        if (streamBytes.isEmpty()) {
            return quick ? List.of() : STREAM_BYTES;
        }
        streamBytes.forEach(
                each ->
                        check(
                                each >= 0 && each <= MAX_STREAM_BYTES,
                                "--stream-bytes",
                                each,
                                "0.." + MAX_STREAM_BYTES));
        return streamBytes.stream().filter(each -> each > 0).toList();
    }

    private void check(boolean isRight, String option, Object value, String expected) {
        if (!isRight) {
            throw new ParameterException(
                    spec.commandLine(),
                    String.format(Locale.ROOT, "%s: %s (expected: %s)", option, value, expected));
        }
    }
}
