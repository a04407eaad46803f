// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.verbs.PathMtu;
import java.time.Duration;
import java.util.Arrays;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options that say what is sent back and forth. */
final class ExchangeOptions {
    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            description = "Size of the message. Default: ${DEFAULT-VALUE}.")
    private int size = 4096;

    @Option(
            names = {"-n", "--iters"},
            paramLabel = "COUNT",
            description = "How many round trips it makes. Default: ${DEFAULT-VALUE}.")
    private int iterations = 1000;

    @Option(
            names = {"-m", "--mtu"},
            paramLabel = "BYTES",
            description = "Path MTU: 256, 512, 1024, 2048 or 4096. Default: ${DEFAULT-VALUE}.")
    private int mtu = 1024;

    @Option(
            names = {"-r", "--rx-depth"},
            paramLabel = "COUNT",
            description = "How many receives to post at a time. Default: ${DEFAULT-VALUE}.")
    private int receiveDepth = 500;

    @Option(
            names = {"-l", "--sl"},
            paramLabel = "LEVEL",
            description = "Service level; only 0 so far.")
    private int serviceLevel;

    @Option(
            names = {"-e", "--events"},
            description = "Sleep until completions come; default: spin.")
    private boolean events;

    @Option(
            names = {"-c", "--chk"},
            description = "Verify what was received; use it on both sides.")
    private boolean validate;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "How long the peer's next step may take. Default: ${DEFAULT-VALUE}."
                            + " A server waits for its client without limit.")
    private int timeoutSeconds = 30;

    PingPongPlan exchange(CommandSpec spec) {
        checkPositive(spec, "--size", size);
        checkPositive(spec, "--iters", iterations);
        checkPositive(spec, "--rx-depth", receiveDepth);
        checkPositive(spec, "--timeout", timeoutSeconds);
        if (serviceLevel != 0) {
            throw wrong(spec, "--sl", serviceLevel, "0: these verbs set no service level");
        }
        return new PingPongPlan(
                size,
                iterations,
                pathMtu(spec),
                receiveDepth,
                events,
                validate,
                Duration.ofSeconds(timeoutSeconds));
    }

    private PathMtu pathMtu(CommandSpec spec) {
        return Arrays.stream(PathMtu.values())
                .filter(candidate -> mtu > 0 && candidate.bytes() == mtu)
                .findFirst()
                .orElseThrow(() -> wrong(spec, "--mtu", mtu, "256, 512, 1024, 2048 or 4096"));
    }

    private static void checkPositive(CommandSpec spec, String name, int value) {
        if (value < 1) {
            throw wrong(spec, name, value, "at least 1");
        }
    }

    private static ParameterException wrong(
            CommandSpec spec, String name, int value, String expected) {
        return new ParameterException(
                spec.commandLine(), name + ": " + value + " (expected: " + expected + ")");
    }
}
