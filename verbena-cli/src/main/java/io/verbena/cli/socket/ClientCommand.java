// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.IncomingMessage;
import io.verbena.socket.RdmaSocket;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena socket client}. */
@Command(
        name = "client",
        description = "Send messages to a server, and print what comes back for each.")
final class ClientCommand implements Callable<Integer> {
    @Mixin private SenderOptions options;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many messages (${DEFAULT-VALUE}).")
    private long count;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (count < 0 || options.size() < 0) {
            throw new ToolException("--count, --size: negative (expected: 0 or more)");
        }
        PrintWriter out = spec.commandLine().getOut();
        try (SocketStack stack = options.open();
                RdmaSocket socket = RdmaSocket.connect(stack, options.remote(), options.nodeId())) {
            for (long i = 0; i < count; i++) {
                ByteBuffer message = options.message(i);
                socket.send(message.duplicate());
                try (IncomingMessage answer =
                        socket.receiveMessage()
                                .orElseThrow(
                                        () ->
                                                new ToolException(
                                                        "the server closed before it answered"))) {
                    if (!message.equals(ByteBuffer.wrap(answer.toByteArray()))) {
                        throw new ToolException(
                                "answer " + i + " is not what was sent (expected: the same bytes)");
                    }
                    out.println(Texts.of(answer.toByteArray()));
                    out.flush();
                }
            }
        }
        return 0;
    }
}
