// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import io.verbena.examples.SendReceiveServer;
import io.verbena.examples.WriteReadClient;
import io.verbena.examples.WriteReadMode;
import io.verbena.examples.WriteReadServer;
import io.verbena.tools.DeviceOption;
import io.verbena.tools.PortConverter;
import io.verbena.verbs.DeviceContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/**
 * {@code verbena write-read}: the tutorial's one-sided program. The mode may come before or after
 * the side, and before or after the address.
 */
@Command(
        name = "write-read",
        description = "The tutorial's program for RDMA WRITE and READ, one process per side.",
        subcommands = {WriteReadCommand.Server.class, WriteReadCommand.Client.class})
final class WriteReadCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Parameters(
            arity = "0..1",
            paramLabel = "MODE",
            description = "write or read, the same on both sides; may also follow the side.")
    private WriteReadMode mode;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }

    /** Takes the mode from the arguments after the side, or from the one before it. */
    private WriteReadMode takeMode(CommandSpec side, List<String> words) {
        Optional<WriteReadMode> found = Optional.ofNullable(mode);
        for (String word : List.copyOf(words)) {
            Optional<WriteReadMode> parsed = parse(word);
            if (parsed.isPresent() && words.remove(word)) {
                if (found.isPresent()) {
                    throw new ParameterException(side.commandLine(), "More than one mode: " + word);
                }
                found = parsed;
            }
        }
        return found.orElseThrow(
                () ->
                        new ParameterException(
                                side.commandLine(), "Missing mode (expected: write or read)"));
    }

    private static Optional<WriteReadMode> parse(String word) {
        return switch (word.toLowerCase(Locale.ROOT)) {
            case "write" -> Optional.of(WriteReadMode.WRITE);
            case "read" -> Optional.of(WriteReadMode.READ);
            default -> Optional.empty();
        };
    }

    /** {@code verbena write-read server}. */
    @Command(name = "server", description = "Serve clients that use the same mode.")
    static final class Server implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @ParentCommand private WriteReadCommand parent;
        @Mixin private DeviceOption device;
        @Mixin private ServeOptions serve;

        @Parameters(arity = "0..1", paramLabel = "MODE", description = "write or read.")
        private String word = "";

        @Option(
                names = "--port",
                paramLabel = "PORT",
                converter = PortConverter.class,
                description =
                        "The port to listen on; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
        private int port;

        @Override
        public Integer call() throws InterruptedException {
            List<String> words = new ArrayList<>(word.isEmpty() ? List.of() : List.of(word));
            WriteReadMode mode = parent.takeMode(spec, words);
            if (!words.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "MODE: " + word + " (expected: write or read)");
            }
            long connections = serve.connections();
            try (DeviceContext context = device.open()) {
                new WriteReadServer(System.out, mode).serve(context, port, connections);
            }
            return 0;
        }
    }

    /** {@code verbena write-read client}. */
    @Command(name = "client", description = "Exchange texts with a server that uses the same mode.")
    static final class Client implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @ParentCommand private WriteReadCommand parent;
        @Mixin private DeviceOption device;

        @Parameters(
                arity = "0..3",
                paramLabel = "MODE HOST PORT",
                hideParamSyntax = true,
                description = {
                    "write or read; the server's name or address; its port. Default: localhost 22222."
                })
        private List<String> words = new ArrayList<>();

        @Override
        public Integer call() throws InterruptedException {
            WriteReadMode mode = parent.takeMode(spec, words);
            if (words.size() > 2) {
                throw new ParameterException(
                        spec.commandLine(),
                        "Too many arguments: " + words + " (expected: HOST PORT)");
            }
            String host = words.isEmpty() ? "localhost" : words.getFirst();
            int port = words.size() < 2 ? SendReceiveServer.DEFAULT_PORT : port(words.get(1));
            try (DeviceContext context = device.open()) {
                new WriteReadClient(System.out, mode).run(context, host, port);
            }
            return 0;
        }

        private int port(String word) {
            try {
                return new PortConverter().convert(word);
            } catch (RuntimeException e) {
                throw new ParameterException(spec.commandLine(), "PORT: " + e.getMessage(), e);
            }
        }
    }
}
