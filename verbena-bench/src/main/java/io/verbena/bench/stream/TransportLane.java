// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.Lane;
import io.verbena.bench.measure.Measurement;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;

/** A connection of the transport, over RDMA or TCP. */
final class TransportLane implements Lane, ConnectionHandler {
    private final Transport transport;
    private final IOBuf message;
    private final Connection connection;
    private final StreamTraffic traffic;

    /**
     * A lane whose connection is open.
     *
     * @param atOnce how many exchanges are under way at a time
     */
    TransportLane(
            Transport transport,
            TransportClient client,
            InetSocketAddress address,
            StreamOrder order,
            int atOnce) {
        this.transport = transport;
        this.traffic = new StreamTraffic(order, atOnce, this::send);
        this.message = transport.pool().buffer().append(new byte[order.bytes()]);
        this.connection = client.open(address, this).join();
        connection.write(transport.pool().buffer().append(order.encode()));
    }

    boolean isRdma() {
        return connection.isRdma();
    }

    @Override
    public Measurement run(int count) {
        return traffic.run(count);
    }

    private void send() {
        connection.write(transport.pool().buffer().append(message));
    }

    @Override
    public void onOpen(Connection opened) {
        // the constructor waits for it
    }

    @Override
    public void onData(Connection from, IOBuf received) {
        int answer = traffic.answerBytes();
        while (received.size() >= answer) {
            received.popFront(answer);
            traffic.onAnswer();
        }
    }

    @Override
    public void onClose(Connection closed, TransportException reason) {
        traffic.fail(reason);
    }

    @Override
    public void close() {
        connection.close();
        message.close();
    }
}
