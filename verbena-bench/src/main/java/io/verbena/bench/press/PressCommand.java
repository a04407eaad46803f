// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.press;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcNode;
import io.verbena.tools.NodeOptions;
import io.verbena.tools.OptionRange;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena press}. */
@Command(
        name = "press",
        description = {
            "Call an echo server at a constant rate, and print latencies.",
            "A call's latency counts from the moment it was due, so that a server which stalls is"
                    + " charged for every call that it holds up. Status 1 if calls failed."
        })
public final class PressCommand implements Callable<Integer> {
    private static final int MAX_SIZE = 32 << 20;
    private static final int MAX_CONNECTIONS = 10_000;

    @Spec private CommandSpec spec;
    @Mixin private NodeOptions socket;

    @Parameters(
            paramLabel = "HOST:PORT",
            description = "The server, which serves example.EchoService as 'echo server' does.")
    private String address;

    @Option(
            names = "--qps",
            paramLabel = "N",
            description = "Calls per second. Default: ${DEFAULT-VALUE}.")
    private double qps = 1000;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            description = "For how long. Default: ${DEFAULT-VALUE}.")
    private int seconds = 10;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "Connections, which calls use in turn. Default: ${DEFAULT-VALUE}.")
    private int connections = 1;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            description = "How many bytes to attach to each call. Default: ${DEFAULT-VALUE}.")
    private int size = 32;

    @Option(
            names = "--timeout-ms",
            paramLabel = "MS",
            description = "How long a call, or connecting, may take. Default: ${DEFAULT-VALUE}.")
    private int timeoutMs = 2000;

    /** A command that picocli fills in and runs. */
    public PressCommand() {}

    @Override
    public Integer call() throws InterruptedException {
        OptionRange.check(spec, "--qps", qps, 0.1, 1e7);
        OptionRange.check(spec, "--seconds", seconds, 1, 86_400);
        OptionRange.check(spec, "--connections", connections, 1, MAX_CONNECTIONS);
        OptionRange.check(spec, "--size", size, 0, MAX_SIZE);
        OptionRange.check(spec, "--timeout-ms", timeoutMs, 1, Integer.MAX_VALUE);
        List<Channel> channels = new ArrayList<>();
        try (RpcNode node = socket.open();
                IOBuf attachment = node.pool().buffer().append(new byte[size])) {
            try {
                for (int i = 0; i < connections; i++) {
                    // its own group gives each channel its own connection
                    ChannelOptions options = options().withConnectionGroup("press-" + i);
                    channels.add(Channel.open(node, address, options));
                }
                boolean isWell =
                        new PressRun(spec.commandLine().getOut(), channels, attachment)
                                .run(qps, seconds);
                return isWell ? 0 : 1;
            } finally {
                channels.forEach(Channel::close);
            }
        }
    }

    private ChannelOptions options() {
        return ChannelOptions.DEFAULT
                .withSocketMode(socket.mode())
                .withTimeoutMs(timeoutMs)
                .withConnectTimeoutMs(timeoutMs)
                .withMaxRetry(0)
                .withCallbackInline(true);
    }
}
