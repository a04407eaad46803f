// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.SocketStack;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of the commands that connect and send messages; for them to mix in. */
final class SenderOptions {
    @Mixin private StackOptions stack;

    @Option(
            names = "--host",
            paramLabel = "HOST",
            defaultValue = "127.0.0.1",
            description = "The other side's host (${DEFAULT-VALUE}).")
    private String host;

    @Option(
            names = "--node-id",
            paramLabel = "ID",
            defaultValue = "1",
            description = "The id of this side (${DEFAULT-VALUE}).")
    private int nodeId;

    @Option(
            names = "--size",
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "Bytes per message (${DEFAULT-VALUE}).")
    private int size;

    SocketStack open() {
        return stack.open();
    }

    InetSocketAddress remote() {
        return stack.remote(host);
    }

    int nodeId() {
        return nodeId;
    }

    int size() {
        return size;
    }

    /** {@return a message, different for each number} */
    ByteBuffer message(long number) {
        return Texts.message(nodeId, number, size);
    }
}
