// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The resident memory, mappings, threads and file descriptors of processes during a long test, once
 * a second: after the first half they must not grow any more. A short test only samples. Where
 * there is no {@code /proc}, nothing is sampled.
 */
public final class Footprint implements AutoCloseable {
    private static final long PERIOD_NS = 1_000_000_000;

    /** Below this, a process is still warming up in the first half. */
    private static final int LEAST_SAMPLES = 120;

    /** What heaps, compiled code and thread stacks may still come to. */
    private static final long MORE_RESIDENT_KB = 192 << 10;

    private static final int MORE_MAPPINGS = 200;

    /** What another second of faults may need of them at the same moment. */
    private static final int MORE_THREADS = 50;

    private static final int MORE_DESCRIPTORS = 200;

    /** One look. */
    private record Sample(long residentKb, long mappings, long threads, long descriptors) {}

    private final Path process;
    private final List<Sample> samples = new ArrayList<>();
    private final Thread thread;
    private volatile boolean isOver;

    private Footprint(String process) {
        this.process = Path.of("/proc", process);
        this.thread = Thread.ofPlatform().daemon().name("footprint").start(this::run);
    }

    /** {@return the footprint of this process, sampled until it is closed} */
    public static Footprint own() {
        return new Footprint("self");
    }

    /**
     * {@return the footprint of another process, sampled until it is closed}
     *
     * @param pid its number
     */
    public static Footprint of(long pid) {
        return new Footprint(Long.toString(pid));
    }

    private void run() {
        while (!isOver) {
            try {
                samples.add(sample());
            } catch (IOException | UncheckedIOException e) {
                // it has ended, or there is no /proc
                return;
            }
            LockSupport.parkNanos(PERIOD_NS);
        }
    }

    private Sample sample() throws IOException {
        List<String> status = Files.readAllLines(process.resolve("status"));
        return new Sample(
                number(status, "VmRSS:"),
                Files.readAllLines(process.resolve("maps")).size(),
                number(status, "Threads:"),
                descriptors());
    }

    private static long number(List<String> status, String name) {
        return status.stream()
                .filter(line -> line.startsWith(name))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }

    private long descriptors() throws IOException {
        try (Stream<Path> entries = Files.list(process.resolve("fd"))) {
            return entries.count();
        }
    }

    /**
     * Ends the sampling; the second half of a long one must not have needed much more than the
     * first.
     */
    @Override
    public void close() {
        isOver = true;
        LockSupport.unpark(thread);
        boolean isInterrupted = Thread.interrupted();
        try {
            thread.join();
        } catch (InterruptedException e) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
        if (samples.size() >= LEAST_SAMPLES) {
            int half = samples.size() / 2;
            Sample before = most(samples.subList(0, half));
            Sample after = most(samples.subList(half, samples.size()));
            assertThat(after.mappings())
                    .as("mappings: %s", this)
                    .isLessThanOrEqualTo(before.mappings() + MORE_MAPPINGS);
            assertThat(after.residentKb())
                    .as("resident KiB: %s", this)
                    .isLessThanOrEqualTo(before.residentKb() + MORE_RESIDENT_KB);
            assertThat(after.threads())
                    .as("threads: %s", this)
                    .isLessThanOrEqualTo(before.threads() + MORE_THREADS);
            assertThat(after.descriptors())
                    .as("file descriptors: %s", this)
                    .isLessThanOrEqualTo(before.descriptors() + MORE_DESCRIPTORS);
        }
    }

    private static Sample most(List<Sample> some) {
        return new Sample(
                some.stream().mapToLong(Sample::residentKb).max().orElse(0),
                some.stream().mapToLong(Sample::mappings).max().orElse(0),
                some.stream().mapToLong(Sample::threads).max().orElse(0),
                some.stream().mapToLong(Sample::descriptors).max().orElse(0));
    }

    /** {@return the first, the largest and the last values; after it was closed} */
    @Override
    public String toString() {
        return samples.isEmpty()
                ? "no samples"
                : samples.getFirst()
                        + " at first, "
                        + most(samples)
                        + " at most, "
                        + samples.getLast()
                        + " at last, "
                        + samples.size()
                        + " samples";
    }
}
