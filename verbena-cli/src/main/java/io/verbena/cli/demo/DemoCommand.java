// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.demo;

import io.verbena.tools.DeviceOption;
import io.verbena.tools.JavaProgram;
import io.verbena.tools.OptionRange;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena demo}: starts a second process, exchanges data with it, and shows how fast. */
@Command(
        name = "demo",
        description =
                "Run a server and a client in two processes, over RDMA and TCP, and show how fast"
                        + " they are.")
public final class DemoCommand implements Callable<Integer> {
    private static final int MAX_SECONDS = 3600;

    @Spec private CommandSpec spec;
    @Mixin private DeviceOption device;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "How long to measure, after a warm-up. Default: ${DEFAULT-VALUE}.")
    private int seconds = 10;

    @Option(
            names = "--verbs",
            description = "Show verbs instead of calls: SEND, WRITE, READ and an atomic counter.")
    private boolean isOfVerbs;

    /** A command that picocli fills in and runs. */
    public DemoCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        OptionRange.check(spec, "--seconds", seconds, 1, MAX_SECONDS);
        if (isOfVerbs) {
            new VerbsDemo(JavaProgram.of(spec), seconds).run(device);
        } else {
            new RpcDemo(JavaProgram.of(spec), seconds).run(device.name());
        }
        return 0;
    }
}
