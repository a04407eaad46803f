// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.Compatibility;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import io.verbena.tools.DeviceOption;
import io.verbena.tools.PortConverter;
import io.verbena.tools.ToolException;
import java.net.InetSocketAddress;
import java.time.Duration;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of all commands that use sockets; for them to mix in. */
final class StackOptions {
    private static final String DEFAULT_PORT = "40000";

    @Mixin private DeviceOption device;

    @Option(
            names = {"-p", "--port"},
            paramLabel = "PORT",
            converter = PortConverter.class,
            defaultValue = DEFAULT_PORT,
            description = "The port of the server or receiver (${DEFAULT-VALUE}).")
    private int port;

    @Option(
            names = "--compat",
            paramLabel = "PROTOCOL",
            defaultValue = "native",
            description = {
                "seed: only the protocol of the C program rdma_socket.",
                "native: small messages inside a SEND, if the peer supports it, too (default)."
            })
    private Compatibility compatibility;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "How long connecting, or closing, may take (${DEFAULT-VALUE}).")
    private int timeoutSeconds;

    SocketStack open() {
        if (timeoutSeconds < 1) {
            throw new ToolException("--timeout: " + timeoutSeconds + " (expected: at least 1)");
        }
        Duration timeout = Duration.ofSeconds(timeoutSeconds);
        SocketOptions options =
                SocketOptions.DEFAULT
                        .withCompatibility(compatibility)
                        .withTimes(SocketOptions.DEFAULT.spin(), timeout, timeout);
        return SocketStack.open(device.name(), options);
    }

    /** {@return where to listen: on all addresses of this host} */
    InetSocketAddress local() {
        return new InetSocketAddress(port);
    }

    InetSocketAddress remote(String host) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new ToolException(
                    "--host: " + host + " (expected: an address or a name that resolves)");
        }
        return address;
    }
}
