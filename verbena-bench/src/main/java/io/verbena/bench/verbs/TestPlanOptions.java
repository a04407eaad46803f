// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.ByteSize;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The options that say what to measure; only the client has them. */
public final class TestPlanOptions {
    private static final int LARGEST_SHIFT = 23;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            converter = ByteSize.class,
            description =
                    "Message size, with k or m for powers of two. Default: 8 for latency, 64k.")
    private Optional<Integer> size = Optional.empty();

    @Option(
            names = {"-a", "--all"},
            description = "All sizes from 2 to 8m.")
    private boolean all;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "N",
            defaultValue = "0",
            description = "Messages per run. Default: a number that suits the size.")
    private int iterations;

    @Option(
            names = "--warmup",
            paramLabel = "N",
            defaultValue = "200000",
            description =
                    "Messages before the first run; fewer if they are long (${DEFAULT-VALUE}).")
    private int warmup;

    @Option(
            names = "--runs",
            paramLabel = "N",
            defaultValue = "5",
            description =
                    "Runs, each next to one of the floor and of the memory copy; the report gives"
                            + " medians (${DEFAULT-VALUE}).")
    private int runs;

    @Option(
            names = {"-t", "--tx-depth"},
            paramLabel = "N",
            defaultValue = "128",
            description = "Requests outstanding in a bandwidth test (${DEFAULT-VALUE}).")
    private int txDepth;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "N",
            defaultValue = "512",
            description = "Receives posted ahead (${DEFAULT-VALUE}).")
    private int rxDepth;

    @Option(
            names = {"-l", "--post_list"},
            paramLabel = "N",
            defaultValue = "1",
            description =
                    "Requests of a bandwidth test that are posted together (${DEFAULT-VALUE}).")
    private int postList;

    @Option(
            names = "--working-set",
            paramLabel = "BYTES",
            converter = ByteSize.class,
            defaultValue = "16m",
            description =
                    "How much memory the messages of a bandwidth test rotate over, on each"
                            + " side; perftest uses one buffer (${DEFAULT-VALUE}).")
    private int workingSet;

    @Option(
            names = {"-I", "--inline_size"},
            paramLabel = "BYTES",
            converter = InlineSize.class,
            defaultValue = "-1",
            description =
                    "Longest message to send inline. Default: the device's maximum for latency, 0"
                            + " for bandwidth.")
    private int inlineBytes;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until a completion event comes instead of polling.")
    private boolean events;

    @Option(
            names = {"-A", "--atomic_type"},
            defaultValue = "FETCH_AND_ADD",
            description = "${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
    private AtomicKind atomic;

    @Option(
            names = "--memory",
            paramLabel = "device|user",
            converter = BufferMemory.Converter.class,
            defaultValue = "device",
            description =
                    "device: memory allocated by the device; user: the program's own memory,"
                            + " registered (${DEFAULT-VALUE}).")
    private BufferMemory memory;

    @Option(
            names = "--idle-pairs",
            paramLabel = "N",
            defaultValue = "0",
            description =
                    "Additional idle connected queue pairs on the same completion queue; compares"
                            + " with and without them, and prints what one costs in memory.")
    private int idlePairs;

    /**
     * {@return the plan}
     *
     * @param test which test it is for
     * @throws IllegalArgumentException if the test cannot do what was asked for
     */
    public TestPlan toPlan(TestKind test) {
        return new TestPlan(
                test,
                sizes(test),
                iterations,
                warmup,
                runs,
                txDepth,
                rxDepth,
                postList,
                workingSet,
                inlineBytes,
                events,
                memory,
                atomic,
                idlePairs);
    }

    private List<Integer> sizes(TestKind test) {
        if (!all) {
            return List.of(size.orElseGet(test::defaultBytes));
        }
        if (size.isPresent()) {
            throw new IllegalArgumentException("size: " + size.get() + " (expected: none with -a)");
        }
        if (test == TestKind.ATOMIC_LAT) {
            throw new IllegalArgumentException(
                    "-a: not supported by atomic_lat (an atomic has 8 bytes)");
        }
        return IntStream.rangeClosed(1, LARGEST_SHIFT).mapToObj(shift -> 1 << shift).toList();
    }

    /** Parses a size that may also be 0 for never, or -1 for the default. */
    static final class InlineSize implements ITypeConverter<Integer> {
        @Override
        public Integer convert(String text) {
            return text.equals("0") || text.equals("-1")
                    ? Integer.valueOf(text)
                    : new ByteSize().convert(text);
        }
    }
}
