// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.socket.IncomingMessage;
import io.verbena.socket.RdmaSocket;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Carries out the orders of one connection, in the server of {@code bench socket}. */
final class SocketService implements Runnable {
    private final RdmaSocket socket;

    SocketService(RdmaSocket socket) {
        this.socket = socket;
    }

    @Override
    public void run() {
        try (socket) {
            ByteBuffer order = ByteBuffer.allocate(SocketOrder.LENGTH);
            while (socket.receive(order.clear()) != RdmaSocket.END_OF_STREAM) {
                serve(SocketOrder.decode(order.flip()));
            }
        } catch (IOException e) {
            throw new ToolException("serving a connection: " + e.getMessage(), e);
        }
    }

    private void serve(SocketOrder order) throws IOException {
        ByteBuffer message = ByteBuffer.allocateDirect(order.bytes());
        for (int i = 0; i < order.count(); i++) {
            if (order.task() == SocketOrder.Task.LOOK) {
                look();
                continue;
            }
            socket.receive(message.clear());
            if (order.task() == SocketOrder.Task.ECHO) {
                socket.send(message.flip());
            }
        }
        if (order.task() != SocketOrder.Task.ECHO) {
            socket.send(message.clear().limit(1));
        }
    }

    private void look() throws IOException {
        try (IncomingMessage message = socket.receiveMessage().orElseThrow()) {
            if (message.length() == 0) {
                throw new ToolException("length: 0 (expected: that of the order)");
            }
        }
    }
}
