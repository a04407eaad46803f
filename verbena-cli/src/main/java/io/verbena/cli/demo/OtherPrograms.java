// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.LongStream;

/**
 * How much of the machine other programs use while something is measured; Linux only, elsewhere it
 * does not know.
 */
final class OtherPrograms {
    private static final Path STAT = Path.of("/proc/stat");

    /** The share of the processors from which figures are too low to be believed. */
    private static final double BUSY = 0.2;

    private static final int IDLE_COLUMN = 4;
    private static final int WAIT_COLUMN = 5;

    /** Those after it are counted in others. */
    private static final int LAST_COLUMN = 8;

    /** The unit of the file, on every Linux that Java runs on. */
    private static final Duration TICK = Duration.ofMillis(10);

    private final long[] ours;
    private final Optional<Use> before;

    /** The time of all processors, in nanoseconds. */
    private record Use(long busyNs, long totalNs, long oursNs) {}

    private OtherPrograms(long... ours) {
        this.ours = ours;
        this.before = use();
    }

    /** {@return what others use from now on; the given processes are not others} */
    static OtherPrograms besides(long... processes) {
        return new OtherPrograms(processes);
    }

    /** {@return a warning, if they use much} */
    Optional<String> describe() {
        Optional<Use> after = use();
        if (before.isEmpty() || after.isEmpty()) {
            return Optional.empty();
        }
        long busy = after.get().busyNs - before.get().busyNs;
        long total = Math.max(1, after.get().totalNs - before.get().totalNs);
        double share = (double) (busy - (after.get().oursNs - before.get().oursNs)) / total;
        return share < BUSY
                ? Optional.empty()
                : Optional.of(
                        String.format(
                                Locale.ROOT,
                                "other programs used %.0f %% of the processors: the figures are"
                                        + " too low",
                                share * 100));
    }

    private Optional<Use> use() {
        try {
            List<String> columns = List.of(Files.readAllLines(STAT).getFirst().split(" +"));
            long total = 0;
            long idle = 0;
            for (int i = 1; i <= LAST_COLUMN && i < columns.size(); i++) {
                long ticks = Long.parseLong(columns.get(i));
                total += ticks;
                idle += i == IDLE_COLUMN || i == WAIT_COLUMN ? ticks : 0;
            }
            return Optional.of(
                    new Use((total - idle) * TICK.toNanos(), total * TICK.toNanos(), oursNs()));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private long oursNs() {
        return LongStream.of(ours)
                .mapToObj(ProcessHandle::of)
                .flatMap(Optional::stream)
                .flatMap(process -> process.info().totalCpuDuration().stream())
                .mapToLong(Duration::toNanos)
                .sum();
    }
}
