// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena mq}: the message queue. */
@Command(
        name = "mq",
        subcommands = {ReceiveCommand.class, SendCommand.class},
        description =
                "A message queue with one receiver and many senders; either side may be a program"
                        + " that uses the queue of rdma_socket.")
public final class QueueCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Missing side (expected: receive or send)");
    }
}
