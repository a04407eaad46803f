// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import io.verbena.transport.handshake.HelloBaselineTest;
import io.verbena.transport.rdma.Hello;
import io.verbena.transport.rdma.RdmaEndpoint;
import io.verbena.transport.rdma.RdmaEndpoints;
import io.verbena.transport.rdma.Side;
import io.verbena.verbs.ConnectionIdentifier;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Endpoints without a queue pair, for tests that are about the bytes on TCP, like brpc's own tests,
 * which skip verbs there. Bytes written to one go nowhere.
 */
final class PretendEndpoints implements RdmaEndpoints {
    private final ExecutorService dispatcher =
            Executors.newSingleThreadExecutor(
                    Thread.ofPlatform().daemon().name("pretend-dispatcher").factory());
    private final AtomicInteger live = new AtomicInteger();
    private volatile boolean isAvailable = true;

    /** {@return the endpoints that were made and have not ended} */
    int live() {
        return live.get();
    }

    @Override
    public boolean isAvailable() {
        return isAvailable;
    }

    @Override
    public void disable() {
        isAvailable = false;
    }

    @Override
    public RdmaEndpoint allocate(Side side) {
        live.incrementAndGet();
        return new Pretend();
    }

    @Override
    public RdmaEndpoint allocate(Side side, ConnectionIdentifier identifier) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
        dispatcher.shutdown();
    }

    private final class Pretend implements RdmaEndpoint {
        private Optional<Sink> sink = Optional.empty();
        private boolean isOver;
        private long written;

        @Override
        public Hello hello() {
            return HelloBaselineTest.HELLO;
        }

        @Override
        public void bringUp(Hello peer) {}

        @Override
        public synchronized void open(Sink user) {
            sink = Optional.of(user);
            dispatcher.execute(user::onOpen);
        }

        @Override
        public synchronized void write(IOBuf data) {
            written += data.size();
            data.clear();
        }

        @Override
        public long unwrittenBytes() {
            return 0;
        }

        @Override
        public synchronized ConnectionStatistics statistics() {
            return ConnectionStatistics.withoutWindows(
                    HandshakeState.ESTABLISHED, RdmaState.RDMA_ON, written, 0, 0);
        }

        @Override
        public void peerClosed(TransportException reason) {
            abort(reason);
        }

        @Override
        public void close(TransportException reason) {
            abort(reason);
        }

        @Override
        public synchronized void abort(TransportException reason) {
            if (!isOver) {
                isOver = true;
                live.decrementAndGet();
                sink.ifPresent(user -> dispatcher.execute(() -> user.onClose(reason)));
            }
        }
    }
}
