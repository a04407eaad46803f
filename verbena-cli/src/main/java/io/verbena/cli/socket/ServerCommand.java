// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.socket;

import io.verbena.socket.IncomingMessage;
import io.verbena.socket.RdmaServerSocket;
import io.verbena.socket.RdmaSocket;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ChildServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code verbena socket server}. */
@Command(
        name = "server",
        description = "Print the messages of all clients, and send each of them back.")
final class ServerCommand implements Callable<Integer> {
    @Mixin private StackOptions options;

    @Option(
            names = "--connections",
            paramLabel = "N",
            description = "End after N connections. Default: serve until interrupted.")
    private long connections = Long.MAX_VALUE;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() throws IOException, InterruptedException {
        List<Thread> serving = new ArrayList<>();
        try (SocketStack stack = options.open();
                RdmaServerSocket server = RdmaServerSocket.bind(stack, options.local())) {
            ChildServer.announce(spec.commandLine().getOut(), server.localAddress().getPort());
            for (long i = 0; i < connections; i++) {
                RdmaSocket socket = server.accept();
                serving.removeIf(thread -> !thread.isAlive());
                serving.add(
                        Thread.ofVirtual()
                                .name("socket-server-" + socket.nodeId())
                                .start(() -> serve(socket)));
            }
            for (Thread thread : serving) {
                thread.join();
            }
        }
        return 0;
    }

    private void serve(RdmaSocket socket) {
        String node = "node " + socket.nodeId();
        print(node + " connected, " + (socket.isNative() ? "native" : "seed"));
        long unanswered = 0;
        try (socket) {
            Optional<IncomingMessage> received = socket.receiveMessage();
            while (received.isPresent()) {
                try (IncomingMessage message = received.get()) {
                    byte[] bytes = message.toByteArray();
                    print(node + ": " + Texts.of(bytes));
                    unanswered += isEchoed(socket, bytes) ? 0 : 1;
                }
                received = socket.receiveMessage();
            }
        } catch (IOException e) {
            if (unanswered == 0) {
                print(node + " is lost: " + e.getMessage());
                return;
            }
        }
        print(
                node
                        + " closed"
                        + (unanswered == 0
                                ? ""
                                : ", without waiting for "
                                        + unanswered
                                        + (unanswered == 1 ? " answer" : " answers")));
    }

    /**
     * {@return whether a message could be sent back} A peer that has closed still expects that what
     * it sent is read: it was told that it has arrived.
     */
    private static boolean isEchoed(RdmaSocket socket, byte... bytes) {
        try {
            socket.send(ByteBuffer.wrap(bytes));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private void print(String line) {
        PrintWriter out = spec.commandLine().getOut();
        out.println(line);
        out.flush();
    }
}
