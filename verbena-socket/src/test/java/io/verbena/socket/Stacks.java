// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.testing.Eventually;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * A server's and a client's stack on two software devices, or both on the device that the system
 * property {@code verbena.transport.device} names, whose network address is {@code
 * verbena.transport.address}. Nothing may be left at the end.
 */
final class Stacks implements AutoCloseable {
    private static final String DEVICE = "verbena.transport.device";
    static final String SERVER_DEVICE = System.getProperty(DEVICE, "soft0");
    static final String CLIENT_DEVICE = System.getProperty(DEVICE, "soft1");
    private static final String ADDRESS =
            System.getProperty("verbena.transport.address", "127.0.0.1");
    static final Duration LONG = Duration.ofSeconds(30);

    static final SocketOptions NATIVE =
            SocketOptions.DEFAULT.withPool(
                    BlockPoolOptions.DEFAULT
                            .withSizesMb(32, 32)
                            .withLeakTracking(LeakTracking.SIMPLE));
    static final SocketOptions SEED = NATIVE.withCompatibility(Compatibility.SEED);

    final SocketStack serverStack;
    final SocketStack clientStack;
    final RdmaServerSocket server;

    Stacks(SocketOptions serverOptions, SocketOptions clientOptions) throws IOException {
        serverStack = SocketStack.open(SERVER_DEVICE, serverOptions);
        clientStack = SocketStack.open(CLIENT_DEVICE, clientOptions);
        server = RdmaServerSocket.bind(serverStack, anyPort());
    }

    Stacks(SocketOptions options) throws IOException {
        this(options, options);
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(ADDRESS, 0);
    }

    /** {@return how often to do something: less often on a device that may be emulated} */
    static int rounds(int usual) {
        return System.getProperty(DEVICE) == null ? usual : Math.max(1, usual / 20);
    }

    static SocketOptions options(Compatibility compatibility) {
        return NATIVE.withCompatibility(compatibility);
    }

    RdmaSocket connect(int nodeId) throws IOException {
        return RdmaSocket.connect(clientStack, server.localAddress(), nodeId);
    }

    /** Both ends of a new connection. */
    record Pair(RdmaSocket client, RdmaSocket server) {}

    Pair pair() throws IOException {
        RdmaSocket client = connect(7);
        return new Pair(client, server.accept(LONG));
    }

    static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the next message as text, or "(end)"} */
    static String next(RdmaSocket socket) throws IOException {
        return socket.receiveMessage(LONG)
                .map(
                        message -> {
                            try (message) {
                                return new String(message.toByteArray(), StandardCharsets.UTF_8);
                            }
                        })
                .orElse("(end)");
    }

    @Override
    public void close() {
        server.close();
        clientStack.abortAll();
        serverStack.abortAll();
        Eventually.become(
                () -> clientStack.memory().outstanding() == 0,
                () -> clientStack.memory().outstanding() + " blocks of the client");
        Eventually.become(
                () -> serverStack.memory().outstanding() == 0,
                () -> serverStack.memory().outstanding() + " blocks of the server");
        clientStack.close();
        serverStack.close();
        assertThat(clientStack.connections() + serverStack.connections()).isZero();
    }
}
