// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.examples.SendReceiveClient;
import io.verbena.examples.SendReceiveServer;
import io.verbena.tools.DeviceOption;
import io.verbena.tools.PortConverter;
import io.verbena.verbs.DeviceContext;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code verbena send-recv}: the tutorial's two-sided program. */
@Command(
        name = "send-recv",
        description = "The tutorial's program for SEND and RECEIVE, one process per side.",
        subcommands = {SendReceiveCommand.Server.class, SendReceiveCommand.Client.class})
final class SendReceiveCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }

    /** {@code verbena send-recv server}. */
    @Command(name = "server", description = "Print the message each client sends, and greet it.")
    static final class Server implements Callable<Integer> {
        @Mixin private DeviceOption device;
        @Mixin private ServeOptions serve;

        @Option(
                names = "--port",
                paramLabel = "PORT",
                converter = PortConverter.class,
                description =
                        "The port to listen on; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private int port = SendReceiveServer.DEFAULT_PORT;

        @Option(names = "--no-greeting", description = "Only receive.")
        private boolean silent;

        @Override
        public Integer call() throws InterruptedException {
            long connections = serve.connections();
            try (DeviceContext context = device.open()) {
                new SendReceiveServer(System.out, !silent).serve(context, port, connections);
            }
            return 0;
        }
    }

    /** {@code verbena send-recv client}. */
    @Command(name = "client", description = "Send one message, wait for the greeting, disconnect.")
    static final class Client implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private DeviceOption device;

        @Parameters(
                index = "0",
                arity = "0..1",
                paramLabel = "HOST",
                description = "The server's name or address. Default: ${DEFAULT-VALUE}.")
        private String host = "localhost";

        @Parameters(
                index = "1",
                arity = "0..1",
                paramLabel = "PORT",
                converter = PortConverter.class,
                description = "The server's port. Default: ${DEFAULT-VALUE}.")
        private int port = SendReceiveServer.DEFAULT_PORT;

        @Option(
                names = {"-m", "--message"},
                paramLabel = "TEXT",
                description = "What to send, at most 1023 bytes. Default: a text with the pid.")
        private String message = SendReceiveClient.defaultMessage();

        @Option(
                names = "--no-greeting",
                description = "Do not wait for the server's greeting: disconnect once sent.")
        private boolean silent;

        @Override
        public Integer call() throws InterruptedException {
            SendReceiveClient client = client();
            try (DeviceContext context = device.open()) {
                client.run(context, host, port);
            }
            return 0;
        }

        private SendReceiveClient client() {
            try {
                return new SendReceiveClient(System.out, message, !silent);
            } catch (IllegalArgumentException e) {
                throw new ParameterException(spec.commandLine(), e.getMessage(), e);
            }
        }
    }
}
