// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.cli.ToolException;
import io.verbena.socket.MessageSender;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena mq send}. */
@Command(name = "send", description = "Send messages to a receiver, and wait until it has them.")
final class SendCommand implements Callable<Integer> {
    @Mixin private StackOptions options;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "The receiver's host (${DEFAULT-VALUE}).")
    private String host;

    @Option(
            names = "--node-id",
            paramLabel = "ID",
            defaultValue = "1",
            description = "How this sender calls itself (${DEFAULT-VALUE}).")
    private int nodeId;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many messages (${DEFAULT-VALUE}).")
    private long count;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "Bytes of a message (${DEFAULT-VALUE}).")
    private int size;

    @Option(
            names = "--more",
            paramLabel = "K",
            defaultValue = "0",
            description =
                    "Send groups: K frames that say more will follow, then one that does not"
                            + " (${DEFAULT-VALUE}).")
    private int more;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (count < 0 || size < 0 || more < 0) {
            throw new ToolException("--count, --size, --more: negative (expected: 0 or more)");
        }
        try (SocketStack stack = options.open()) {
            try (MessageSender sender =
                    MessageSender.connect(stack, options.remote(host), nodeId)) {
                for (long i = 0; i < count; i++) {
                    send(sender, i);
                }
            }
            spec.commandLine().getOut().println("node " + nodeId + " sent " + count + " messages");
        }
        return 0;
    }

    private void send(MessageSender sender, long number) throws IOException {
        ByteBuffer message = Texts.message(nodeId, number, size);
        boolean isLast = (number + 1) % (more + 1L) == 0 || number == count - 1;
        if (isLast) {
            sender.send(message);
        } else {
            sender.sendMore(message);
        }
    }
}
