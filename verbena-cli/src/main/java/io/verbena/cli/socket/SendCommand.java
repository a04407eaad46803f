// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.MessageSender;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena mq send}. */
@Command(
        name = "send",
        description = "Send messages to a receiver, and wait until they have arrived.")
final class SendCommand implements Callable<Integer> {
    @Mixin private SenderOptions options;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "1",
            description = "How many messages (${DEFAULT-VALUE}).")
    private long count;

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
        if (count < 0 || options.size() < 0 || more < 0) {
            throw new ToolException("--count, --size, --more: negative (expected: 0 or more)");
        }
        try (SocketStack stack = options.open()) {
            try (MessageSender sender =
                    MessageSender.connect(stack, options.remote(), options.nodeId())) {
                for (long i = 0; i < count; i++) {
                    send(sender, i);
                }
            }
            spec.commandLine()
                    .getOut()
                    .println("node " + options.nodeId() + " sent " + count + " messages");
        } catch (ConnectException e) {
            throw Texts.refused(options.remote(), e);
        }
        return 0;
    }

    private void send(MessageSender sender, long number) throws IOException {
        ByteBuffer message = options.message(number);
        boolean isLast = (number + 1) % (more + 1L) == 0 || number == count - 1;
        if (isLast) {
            sender.send(message);
        } else {
            sender.sendMore(message);
        }
    }
}
