// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs perftest's program for the same test, on the same device, between two processes of its own:
 * what a C program achieves on that device at the same time.
 */
public final class Perftest {
    private static final Duration LIMIT = Duration.ofMinutes(3);
    private static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final long LOOK_NS = 20_000_000;
    private static final String HOST = "127.0.0.1";

    /** The state of a listening socket in /proc/net/tcp. */
    private static final String LISTENING = "0A";

    private static final int TYPICAL_COLUMN = 4;
    private static final int BANDWIDTH_COLUMN = 3;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = 1e9;

    private final TestPlan plan;
    private final int tcpPort;
    private final List<String> serverPrefix;

    /**
     * The programs of one test.
     *
     * @param plan the plan of our own runs
     * @param tcpPort the port that its two processes use to connect
     * @param serverPrefix a command that starts the server's command; may be empty
     */
    public Perftest(TestPlan plan, int tcpPort, List<String> serverPrefix) {
        this.plan = plan;
        this.tcpPort = tcpPort;
        this.serverPrefix = serverPrefix;
    }

    /** {@return its runs at one message size; each has the single figure that perftest prints} */
    Lane lane(Conditions conditions, int bytes) {
        return iterations -> run(command(conditions, bytes, iterations), bytes, iterations);
    }

    private Measurement run(List<String> command, int bytes, int iterations) {
        List<String> serverCommand = new ArrayList<>(serverPrefix);
        serverCommand.addAll(command);
        Process server = start(serverCommand);
        try {
            awaitListening(server);
            command.add(HOST);
            return measurement(figure(output(start(command)), bytes), bytes, iterations);
        } finally {
            server.destroy();
        }
    }

    private Measurement measurement(double figure, int bytes, int iterations) {
        double elapsedNs =
                plan.test().isLatency()
                        ? figure * iterations * NS_PER_US
                        : (double) iterations * bytes / (figure * Row.MB) * NS_PER_S;
        long eachNs = Math.round(elapsedNs / iterations);
        return new Measurement(new long[] {eachNs}, iterations, elapsedNs, 0);
    }

    private List<String> command(Conditions conditions, int bytes, int iterations) {
        List<String> command = new ArrayList<>();
        command.add("ib_" + plan.test().id());
        command.add("-F");
        option(command, "-d", conditions.device());
        option(command, "-x", conditions.gidIndex());
        option(command, "-p", tcpPort);
        option(command, "-n", iterations);
        option(command, "-m", conditions.mtuBytes());
        if (plan.test() != TestKind.ATOMIC_LAT) {
            option(command, "-s", bytes);
        }
        if (plan.test().isPingPong()) {
            option(command, "-I", bytes <= conditions.inlineBytes() ? conditions.inlineBytes() : 0);
        }
        if (!plan.test().isLatency()) {
            option(command, "-t", plan.txDepth());
            option(command, "-l", plan.postList());
            option(command, "-Q", Outgoing.interval(plan.txDepth()));
        }
        if (plan.events()) {
            command.add("-e");
        }
        return command;
    }

    private static void option(List<String> command, String name, Object value) {
        command.add(name);
        command.add(value.toString());
    }

    private static Process start(List<String> command) {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException e) {
            throw new ToolException(
                    "cannot start "
                            + command.getFirst()
                            + ": "
                            + e.getMessage()
                            + " (expected: perftest installed; on Debian: apt install perftest)",
                    e);
        }
    }

    /**
     * Its client tries to connect only once, and its server writes nothing to a pipe before it is
     * done.
     */
    private void awaitListening(Process server) {
        long deadline = System.nanoTime() + START_LIMIT.toNanos();
        while (!isListening()) {
            if (!server.isAlive()) {
                throw new ToolException("perftest's server ended: " + lastLines(output(server)));
            }
            if (System.nanoTime() - deadline > 0) {
                throw new ToolException(
                        "perftest's server does not listen on port " + tcpPort + " after 30 s");
            }
            LockSupport.parkNanos(this, LOOK_NS);
        }
    }

    private boolean isListening() {
        String port = String.format(Locale.ROOT, ":%04X", tcpPort);
        return sockets("/proc/net/tcp", port) || sockets("/proc/net/tcp6", port);
    }

    private static boolean sockets(String table, String port) {
        try {
            for (String line : Files.readAllLines(Path.of(table))) {
                List<String> columns = columns(line);
                if (columns.get(1).endsWith(port) && columns.get(3).equals(LISTENING)) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new ToolException("cannot read " + table + " (expected: Linux)", e);
        }
    }

    private static String output(Process process) {
        try {
            String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new ToolException("perftest has not ended after " + LIMIT);
            }
            return text;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted while perftest ran", e);
        } finally {
            process.destroy();
        }
    }

    private double figure(String output, int bytes) {
        OptionalDouble found = parse(plan.test(), output, bytes);
        if (found.isPresent() && !Double.isFinite(found.getAsDouble())) {
            throw new ToolException(
                    "perftest printed "
                            + found.getAsDouble()
                            + " for "
                            + bytes
                            + " bytes: its clock did not move; use more messages (-n)");
        }
        return found.orElseThrow(
                () -> new ToolException("perftest gave no result: " + lastLines(output)));
    }

    /**
     * {@return the whole round trip in microseconds, or mebibytes per second, from the row of a
     * size, if there is one}
     */
    static OptionalDouble parse(TestKind test, String output, int bytes) {
        int column = test.isLatency() ? TYPICAL_COLUMN : BANDWIDTH_COLUMN;
        for (String line : output.lines().toList()) {
            List<String> columns = columns(line);
            if (columns.size() > column && columns.getFirst().equals(Integer.toString(bytes))) {
                double value = number(columns.get(column));
                // For a ping-pong it prints half the round trip.
                return OptionalDouble.of(test.isPingPong() ? 2 * value : value);
            }
        }
        return OptionalDouble.empty();
    }

    /** perftest prints inf and nan as C does, where a clock did not move between two readings. */
    private static double number(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "inf" -> Double.POSITIVE_INFINITY;
            case "nan", "-nan" -> Double.NaN;
            default -> Double.parseDouble(text);
        };
    }

    private static List<String> columns(String line) {
        return List.of(line.strip().split("\\s+", -1));
    }

    private static String lastLines(String output) {
        List<String> lines = output.lines().filter(line -> !line.isBlank()).toList();
        return String.join(" | ", lines.subList(Math.max(0, lines.size() - 3), lines.size()));
    }
}
