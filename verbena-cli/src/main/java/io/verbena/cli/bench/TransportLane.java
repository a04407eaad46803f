// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;

/** A connection of the transport, over RDMA or TCP. Goes on in its handler, without a thread. */
final class TransportLane implements StreamLane, ConnectionHandler {
    private final Transport transport;
    private final StreamOrder order;
    private final int atOnce;
    private final IOBuf message;
    private final Connection connection;
    private volatile StreamRun running = new StreamRun(1);

    /**
     * A lane whose connection is open.
     *
     * @param atOnce how many exchanges are on their way together
     */
    TransportLane(
            Transport transport,
            TransportClient client,
            InetSocketAddress address,
            StreamOrder order,
            int atOnce) {
        this.transport = transport;
        this.order = order;
        this.atOnce = atOnce;
        this.message = transport.pool().buffer().append(new byte[order.bytes()]);
        this.connection = client.open(address, this).join();
        connection.write(transport.pool().buffer().append(order.encode()));
    }

    boolean isRdma() {
        return connection.isRdma();
    }

    @Override
    public Measurement run(int count) {
        StreamRun run = new StreamRun(count);
        running = run;
        boolean isEcho = order.task() == StreamOrder.Task.ECHO;
        int first = isEcho ? 1 : Math.min(atOnce, count);
        // counted before the first write: answers may come while this thread still writes
        for (int i = 0; i < first; i++) {
            run.tryStart();
        }
        for (int i = 0; i < first; i++) {
            send();
        }
        return run.await();
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
        int answer = order.task() == StreamOrder.Task.ECHO ? order.bytes() : 1;
        StreamRun run = running;
        while (received.size() >= answer) {
            received.popFront(answer);
            boolean isMore = run.tryStart();
            run.onEnd();
            if (isMore) {
                send();
            }
        }
    }

    @Override
    public void onClose(Connection closed, TransportException reason) {
        running.fail(reason);
    }

    @Override
    public void close() {
        connection.close();
        message.close();
    }
}
