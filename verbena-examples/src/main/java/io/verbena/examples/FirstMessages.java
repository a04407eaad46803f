// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.socket.Message;
import io.verbena.socket.MessageReceiver;
import io.verbena.socket.MessageSender;
import io.verbena.socket.SocketOptions;
import io.verbena.socket.SocketStack;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** A message queue in one process: two senders, one receiver, and a group that stays whole. */
public final class FirstMessages {
    private FirstMessages() {}

    /**
     * Runs on the device that the stack chooses.
     *
     * @param args not used
     * @throws IOException if a connection could not be made, or was lost
     */
    public static void main(String[] args) throws IOException {
        run(System.out);
    }

    static void run(PrintStream out) throws IOException {
        InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        try (SocketStack stack = SocketStack.open("", SocketOptions.DEFAULT);
                MessageReceiver receiver = MessageReceiver.bind(stack, anyPort);
                MessageSender one = MessageSender.connect(stack, receiver.localAddress(), 1);
                MessageSender two = MessageSender.connect(stack, receiver.localAddress(), 2)) {
            one.sendMore(text("the first half"));
            two.send(text("in between"));
            print(receiver.receive(), out);

            // A group is delivered once its last frame has arrived, and nothing comes in between.
            one.send(text("the second half"));
            print(receiver.receive(), out);
            print(receiver.receive(), out);
        }
    }

    private static ByteBuffer text(String text) {
        return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    }

    private static void print(Message message, PrintStream out) {
        out.println(
                "sender "
                        + message.nodeId()
                        + ": "
                        + message.text()
                        + (message.hasMore() ? " +" : ""));
    }
}
