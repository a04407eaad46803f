// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.ResidentMemory;
import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Carries out the order of one connection, in the server of {@code bench stream}. */
final class StreamService implements ConnectionHandler {
    private final BlockPool pool;
    private Optional<StreamOrder> order = Optional.empty();
    private long counted;

    StreamService(BlockPool pool) {
        this.pool = pool;
    }

    @Override
    public void onOpen(Connection connection) {
        // the client speaks first
    }

    @Override
    public void onData(Connection connection, IOBuf received) {
        if (order.isEmpty()) {
            if (received.size() < StreamOrder.LENGTH) {
                return;
            }
            byte[] head = new byte[StreamOrder.LENGTH];
            received.copyTo(0, head, 0, head.length);
            received.popFront(head.length);
            order = Optional.of(StreamOrder.decode(head));
            begin(connection);
        }
        serve(connection, order.get(), received);
    }

    private void begin(Connection connection) {
        if (order.orElseThrow().task() == StreamOrder.Task.TELL_MEMORY) {
            long resident = ResidentMemory.afterCollection().orElse(-1);
            byte[] answer = ByteBuffer.allocate(Long.BYTES).putLong(resident).array();
            connection.write(pool.buffer().append(answer));
        }
    }

    private void serve(Connection connection, StreamOrder current, IOBuf received) {
        switch (current.task()) {
            case ECHO -> {
                if (!received.isEmpty()) {
                    connection.write(received);
                }
            }
            case COUNT -> {
                counted += received.size();
                received.clear();
                for (; counted >= current.bytes(); counted -= current.bytes()) {
                    connection.write(pool.buffer().append(new byte[] {1}));
                }
            }
            case REST, TELL_MEMORY -> received.clear();
        }
    }

    @Override
    public void onClose(Connection connection, TransportException reason) {
        // nothing is held
    }
}
