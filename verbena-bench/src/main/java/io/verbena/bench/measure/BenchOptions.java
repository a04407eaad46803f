// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.measure;

import io.verbena.tools.ChildServer;
import io.verbena.tools.JavaProgram;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * Options shared by all benchmarks between two processes, for commands to mix in: the device, the
 * format of the report, and how the other process is started.
 */
public final class BenchOptions {
    @Spec(Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = {"-d", "--ib-dev", "--device"},
            paramLabel = "DEVICE",
            defaultValue = "",
            description =
                    "The device. Default: hardware if there is any, else the software device.")
    private String device;

    @Option(names = "--json", description = "Print one JSON object per row.")
    private boolean json;

    /** Passed by a process to the one that it starts, which ends with it. */
    @Option(names = "--child", hidden = true)
    private boolean child;

    /** {@return the device's name; empty for the default} */
    public String device() {
        return device;
    }

    /** {@return whether this process was started by the other} */
    public boolean isChild() {
        return child;
    }

    /** {@return where results go} */
    public PrintWriter out() {
        return spec.commandLine().getOut();
    }

    /** {@return where the other process's messages go} */
    public PrintWriter err() {
        return spec.commandLine().getErr();
    }

    /**
     * Prints a report in the requested format.
     *
     * @param report what to print
     */
    public void print(Report report) {
        if (json) {
            report.printJson(out());
        } else {
            report.printText(out());
        }
        out().flush();
    }

    /**
     * {@return the command that starts this program as the other process, on the same device}
     *
     * @param test which benchmark
     * @param more further arguments
     */
    public List<String> childCommand(String test, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("bench", test, "--child"));
        arguments.addAll(more);
        if (!device.isEmpty()) {
            arguments.addAll(List.of("-d", device));
        }
        return JavaProgram.of(spec).command(arguments);
    }

    /**
     * {@return a server of the benchmark in the other process}
     *
     * @param test which benchmark
     * @param more further arguments
     */
    public ChildServer startServer(String test, String... more) {
        return ChildServer.start(test, childCommand(test, List.of(more)), err());
    }
}
