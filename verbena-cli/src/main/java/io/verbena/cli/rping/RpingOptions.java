// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.tools.PortConverter;
import picocli.CommandLine.Option;

/** The options of the C program, with its letters. */
final class RpingOptions {
    @Option(names = "-s", description = "Be the server.")
    boolean server;

    @Option(names = "-c", description = "Be the client.")
    boolean client;

    @Option(
            names = "-a",
            paramLabel = "ADDR",
            description = "Server: the address to listen on, default any. Client: the server's.")
    String address = "";

    @Option(
            names = "-p",
            paramLabel = "PORT",
            converter = PortConverter.class,
            description = "The server's port; 0 picks a free one. Default: ${DEFAULT-VALUE}.")
    int port = 7174;

    @Option(
            names = "-C",
            paramLabel = "COUNT",
            description = "How many pings the client sends; 0, the default, means no limit.")
    int count;

    @Option(
            names = "-S",
            paramLabel = "BYTES",
            description =
                    "Size of the client's pings, 23 to 65535. Default: ${DEFAULT-VALUE}."
                            + " The server accepts any size.")
    int size = 64;

    @Option(names = "-v", description = "Print the data of each ping.")
    boolean verbose;

    @Option(names = "-V", description = "The client compares what comes back.")
    boolean validate;

    @Option(names = "-d", description = "Print each step.")
    boolean debug;

    @Option(names = "-P", description = "The server serves clients until it is interrupted.")
    boolean persistent;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            description =
                    "How long the peer may be silent. Default: ${DEFAULT-VALUE}."
                            + " A server waits for its client without limit.")
    int timeoutSeconds = 30;

    @Option(
            names = "--device",
            paramLabel = "DEVICE",
            description = "The device. Default: hardware if there is any, else software.")
    String device = "";
}
