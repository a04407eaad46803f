// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.Message;
import io.verbena.socket.MessageReceiver;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena mq receive}. */
@Command(name = "receive", description = "Print the sender, flag and text of each message.")
final class ReceiveCommand implements Callable<Integer> {
    private static final int MORE = 128;

    @Mixin private StackOptions options;

    @Option(
            names = "--count",
            paramLabel = "N",
            description = "End after N messages. Default: receive until interrupted.")
    private long count = Long.MAX_VALUE;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (SocketStack stack = options.open();
                MessageReceiver receiver = MessageReceiver.bind(stack, options.local())) {
            out.println("receiving on port " + receiver.localAddress().getPort());
            out.flush();
            for (long i = 0; i < count; i++) {
                Message message = receiver.receive();
                out.println(
                        "node "
                                + message.nodeId()
                                + ", flag "
                                + (message.hasMore() ? MORE : 0)
                                + ": "
                                + Texts.of(message.bytes()));
                out.flush();
            }
        }
        return 0;
    }
}
