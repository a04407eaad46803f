// SPDX-License-Identifier: Apache-2.0
package sample;

import io.verbena.socket.MessageReceiver;
import io.verbena.socket.MessageSender;
import io.verbena.socket.RdmaServerSocket;
import io.verbena.socket.RdmaSocket;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** A queue with two senders, and a pair of sockets; both sides are in this process. */
final class Mailbox {
    private static final InetSocketAddress ANY =
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private Mailbox() {}

    public static void main(String[] args) throws IOException {
        System.out.println(queue());
        System.out.println(echo("hello"));
    }

    /** What one receiver gets from two senders. */
    static List<String> queue() throws IOException {
        try (SocketStack stack = SocketStack.open("", SocketOptions.DEFAULT);
                MessageReceiver receiver = MessageReceiver.bind(stack, ANY);
                MessageSender one = MessageSender.connect(stack, receiver.localAddress(), 1);
                MessageSender two = MessageSender.connect(stack, receiver.localAddress(), 2)) {
            List<String> received = new ArrayList<>();
            one.send(bytes("from one"));
            received.add(receiver.receive().text());
            two.send(bytes("from two"));
            received.add(receiver.receive().text());
            return received;
        }
    }

    /** What comes back from a server that returns each message. */
    static String echo(String text) throws IOException {
        try (SocketStack stack = SocketStack.open("", SocketOptions.DEFAULT);
                RdmaServerSocket server = RdmaServerSocket.bind(stack, ANY)) {
            Thread serving = Thread.ofVirtual().name("echo").start(() -> serve(server));
            try (RdmaSocket socket = RdmaSocket.connect(stack, server.localAddress(), 1)) {
                socket.send(bytes(text));
                ByteBuffer answer = ByteBuffer.allocate(64);
                socket.receive(answer);
                return StandardCharsets.UTF_8.decode(answer.flip()).toString();
            } finally {
                serving.interrupt();
            }
        }
    }

    private static void serve(RdmaServerSocket server) {
        try (RdmaSocket socket = server.accept()) {
            ByteBuffer message = ByteBuffer.allocate(64);
            while (socket.receive(message.clear()) != RdmaSocket.END_OF_STREAM) {
                socket.send(message.flip());
            }
        } catch (IOException e) {
            // the client is gone, or the server is closed
        }
    }

    private static ByteBuffer bytes(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }
}
