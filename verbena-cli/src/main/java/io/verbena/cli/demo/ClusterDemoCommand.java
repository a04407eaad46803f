// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.tools.JavaProgram;
import io.verbena.tools.OptionRange;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena cluster demo}: kills and adds servers while a client calls them. */
@Command(
        name = "demo",
        description =
                "Start servers that announce themselves in a registry, call them, and show what"
                        + " becomes of the calls while servers are killed, added and drained.")
public final class ClusterDemoCommand implements Callable<Integer> {
    private static final int MAX_SECONDS = 3600;
    private static final int MAX_SERVERS = 50;

    @Spec private CommandSpec spec;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long to run. Default: ${DEFAULT-VALUE}.")
    private int seconds = 20;

    @Option(
            names = "--servers",
            paramLabel = "N",
            description = "How many servers to start with. Default: ${DEFAULT-VALUE}.")
    private int servers = 5;

    @Option(
            names = "--balancer",
            paramLabel = "NAME",
            description =
                    "How to choose a server: rr, random, wrr, wr, p2c or la. Default:"
                            + " ${DEFAULT-VALUE}.")
    private String balancer = "p2c";

    @Option(
            names = "--registry",
            paramLabel = "URL",
            description =
                    "Where servers announce themselves: a file, such as file:///tmp/servers; this"
                            + " program brings no other registries. Default: one in a new folder.")
    private String registry = "";

    /** A command that picocli fills in and runs. */
    public ClusterDemoCommand() {}

    @Override
    public Integer call() throws InterruptedException, IOException {
        OptionRange.check(spec, "--seconds", seconds, 1, MAX_SECONDS);
        OptionRange.check(spec, "--servers", servers, 3, MAX_SERVERS);
        new ClusterDemo(JavaProgram.of(spec), seconds, servers, balancer).run(registry);
        return 0;
    }
}
