// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena socket}: a server that echoes what it receives, and its client. */
@Command(
        name = "socket",
        subcommands = {ServerCommand.class, ClientCommand.class},
        description =
                "Echo messages over RDMA; either side may be a program that uses the sockets of"
                        + " rdma_socket.")
public final class SocketCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: server or client)");
    }
}
