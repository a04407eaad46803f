// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.testing.ChildJvm;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server whose virtual threads compute all the time still takes connections. */
@Timeout(60)
class BusyCarriersTest {
    private static final String SENDERS = "senders";

    /** The server, in a process with one carrier. */
    static final class Server {
        private Server() {}

        /** Runs it; the argument says whether it accepts senders or sockets. */
        static void main(String[] arguments) throws Exception {
            InetSocketAddress local = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            try (SocketStack stack = SocketStack.open("soft1", Stacks.NATIVE)) {
                Thread.ofVirtual().name("busy").start(Server::spin);
                if (arguments[0].equals(SENDERS)) {
                    try (MessageReceiver receiver = MessageReceiver.bind(stack, local)) {
                        System.out.println(receiver.localAddress().getPort());
                        System.out.println(receiver.receive().text());
                    }
                } else {
                    try (RdmaServerSocket server = RdmaServerSocket.bind(stack, local)) {
                        System.out.println(server.localAddress().getPort());
                        try (RdmaSocket socket = server.accept()) {
                            System.out.println(Stacks.next(socket));
                        }
                    }
                }
            }
            System.exit(0);
        }

        private static void spin() {
            while (true) {
                Thread.onSpinWait();
            }
        }
    }

    private static ChildJvm start(String what) throws Exception {
        return ChildJvm.start(
                List.of(
                        "-Djdk.virtualThreadScheduler.parallelism=1",
                        "-Djdk.virtualThreadScheduler.maxPoolSize=1"),
                Server.class,
                what);
    }

    @Test
    void shouldAcceptAConnection() throws Exception {
        try (ChildJvm server = start("sockets");
                SocketStack stack = SocketStack.open("soft0", Stacks.NATIVE)) {
            InetSocketAddress address =
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), Integer.parseInt(server.line()));
            try (RdmaSocket socket = RdmaSocket.connect(stack, address, 7)) {
                socket.send(Stacks.text("hello"), Duration.ofSeconds(10));

                assertThat(server.line()).isEqualTo("hello");
            }
        }
    }

    @Test
    void shouldAcceptASender() throws Exception {
        try (ChildJvm server = start(SENDERS);
                SocketStack stack = SocketStack.open("soft0", Stacks.NATIVE)) {
            InetSocketAddress address =
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), Integer.parseInt(server.line()));
            try (RdmaSocket socket = RdmaSocket.connect(stack, address, 7)) {
                socket.send(Stacks.text("hello"), Duration.ofSeconds(10));

                assertThat(server.line()).isEqualTo("hello");
            }
        }
    }
}
