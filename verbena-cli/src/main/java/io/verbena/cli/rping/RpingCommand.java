// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.ToolException;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena rping}: {@code rping}. */
@Command(
        name = "rping",
        description =
                "Read and write a client's memory from a server, with the options and the output of"
                        + " rping; either side may be that program.")
public final class RpingCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    private final RpingOptions options = new RpingOptions();

    /**
     * Gives the command its options. Call this once it is a subcommand: two letters that every
     * command inherits mean something else in {@code rping}, so only their long names remain.
     *
     * @param command this command
     */
    public static void addOptions(CommandLine command) {
        CommandSpec spec = command.getCommandSpec();
        RpingCommand rping = command.getCommand();
        CommandSpec own = CommandSpec.forAnnotatedObject(rping.options);
        for (OptionSpec inherited : List.copyOf(spec.options())) {
            String[] names =
                    Arrays.stream(inherited.names())
                            .filter(name -> !own.optionsMap().containsKey(name))
                            .toArray(String[]::new);
            spec.remove(inherited);
            spec.addOption(OptionSpec.builder(inherited).names(names).build());
        }
        spec.addMixin("rping", own);
    }

    @Override
    public Integer call() throws InterruptedException {
        check();
        Output output =
                new Output(
                        spec.commandLine().getOut(),
                        spec.commandLine().getErr(),
                        options.verbose,
                        options.debug);
        Duration limit = Duration.ofSeconds(options.timeoutSeconds);
        InetSocketAddress address = address();
        try (DeviceContext context =
                options.device.isEmpty() ? Devices.open() : Devices.open(options.device)) {
            if (options.client) {
                new PingClient(output, limit, options.size, options.validate)
                        .run(context, address, options.count);
            } else {
                AcceptLoop loop = new AcceptLoop(new PingServer(output, limit), output);
                if (options.persistent) {
                    loop.runForEver(context, address);
                } else {
                    loop.runOnce(context, address);
                }
            }
        }
        return 0;
    }

    private void check() {
        if (options.server == options.client) {
            throw wrong("Missing side (expected: -s or -c)");
        }
        if (options.client && options.address.isEmpty()) {
            throw wrong("Missing address (expected: -a ADDR, the server's)");
        }
        if (options.size < PingData.MIN_SIZE || options.size >= PingData.LIMIT) {
            throw wrong(
                    "Invalid size "
                            + options.size
                            + " (expected: "
                            + PingData.MIN_SIZE
                            + ".."
                            + (PingData.LIMIT - 1)
                            + ")");
        }
        if (options.count < 0) {
            throw wrong("Invalid count " + options.count + " (expected: at least 0)");
        }
        if (options.timeoutSeconds < 1) {
            throw wrong("--timeout: " + options.timeoutSeconds + " (expected: at least 1)");
        }
    }

    private InetSocketAddress address() {
        if (options.address.isEmpty()) {
            return new InetSocketAddress(options.port);
        }
        InetSocketAddress address = new InetSocketAddress(options.address, options.port);
        if (address.isUnresolved()) {
            throw new ToolException(
                    "-a: " + options.address + " (expected: an address or a name that resolves)");
        }
        return address;
    }

    private ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
