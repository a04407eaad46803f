// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.socket;

import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.socket.OutgoingMessage;
import io.verbena.socket.RdmaSocket;
import io.verbena.socket.SocketStack;
import io.verbena.tools.ToolException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;

/** A socket to the server of {@code bench socket}. */
final class SocketLane implements Lane {
    private final RdmaSocket socket;
    private final SocketOrder.Task task;
    private final ByteBuffer message;
    private final int bytes;

    SocketLane(SocketStack stack, InetSocketAddress server, SocketOrder.Task task, int bytes)
            throws IOException {
        this.socket = RdmaSocket.connect(stack, server, 1);
        this.task = task;
        this.bytes = bytes;
        this.message = ByteBuffer.allocateDirect(bytes);
    }

    @Override
    public Measurement run(int count) {
        try {
            socket.send(new SocketOrder(task, bytes, count).encode());
            return task == SocketOrder.Task.ECHO ? echo(count) : stream(count);
        } catch (IOException e) {
            throw new ToolException("measuring a socket: " + e.getMessage(), e);
        }
    }

    private Measurement echo(int count) throws IOException {
        long[] stamps = new long[count + 1];
        stamps[0] = System.nanoTime();
        for (int i = 0; i < count; i++) {
            socket.send(message.clear());
            socket.receive(message.clear());
            stamps[i + 1] = System.nanoTime();
        }
        return Measurement.ofStamps(stamps);
    }

    private Measurement stream(int count) throws IOException {
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            if (task == SocketOrder.Task.COPY) {
                socket.send(message.clear());
            } else {
                try (OutgoingMessage outgoing = socket.prepare(bytes)) {
                    outgoing.send();
                }
            }
        }
        socket.receive(message.clear());
        return Measurement.ofWhole(count, System.nanoTime() - start);
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new ToolException("closing a socket: " + e.getMessage(), e);
        }
    }
}
