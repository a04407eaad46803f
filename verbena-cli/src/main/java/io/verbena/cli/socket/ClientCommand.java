// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.IncomingMessage;
import io.verbena.socket.RdmaSocket;
import io.verbena.socket.SocketStack;
import io.verbena.tools.OptionRange;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena socket client}. */
@Command(
        name = "client",
        description =
                "Send messages to a server, and print what comes back for each. The C library's own"
                        + " socket_server only receives: use --send-only with it.")
final class ClientCommand implements Callable<Integer> {
    @Mixin private SenderOptions options;

    @Option(
            names = "--count",
            paramLabel = "N",
            defaultValue = "3",
            description = "How many messages (${DEFAULT-VALUE}).")
    private long count;

    @Option(names = "--send-only", description = "Do not wait for answers.")
    private boolean isSendOnly;

    @Option(
            names = "--answer-timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long to wait for each answer (${DEFAULT-VALUE}).")
    private int answerSeconds;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (count < 0 || options.size() < 0) {
            throw new ToolException("--count, --size: negative (expected: 0 or more)");
        }
        OptionRange.check(spec, "--answer-timeout", answerSeconds, 1, Integer.MAX_VALUE);
        try (SocketStack stack = options.open();
                RdmaSocket socket = RdmaSocket.connect(stack, options.remote(), options.nodeId())) {
            for (long i = 0; i < count; i++) {
                ByteBuffer message = options.message(i);
                socket.send(message.duplicate());
                if (!isSendOnly) {
                    printAnswer(socket, i, message);
                }
            }
        } catch (ConnectException e) {
            throw Texts.refused(options.remote(), e);
        }
        if (isSendOnly) {
            spec.commandLine().getOut().println("sent " + count + " messages");
        }
        return 0;
    }

    private void printAnswer(RdmaSocket socket, long number, ByteBuffer sent) throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        try (IncomingMessage answer =
                socket.receiveMessage(Duration.ofSeconds(answerSeconds))
                        .orElseThrow(
                                () -> new ToolException("the server closed before it answered"))) {
            if (!sent.equals(ByteBuffer.wrap(answer.toByteArray()))) {
                throw new ToolException(
                        "answer " + number + " is not what was sent (expected: the same bytes)");
            }
            out.println(Texts.of(answer.toByteArray()));
            out.flush();
        } catch (SocketTimeoutException e) {
            throw new ToolException(
                    "no answer to message "
                            + number
                            + " within "
                            + answerSeconds
                            + " s; if the server only receives, as the C library's socket_server"
                            + " does, use --send-only",
                    e);
        }
    }
}
