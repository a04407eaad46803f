// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.verbena.completion.Poller;
import io.verbena.memory.IOBuf;
import io.verbena.transport.rdma.RdmaEndpoint;
import java.util.Optional;

/**
 * Carries bytes over RDMA. TCP stays open as a lifeline: when it ends, the peer has ended, and a
 * byte on it violates the protocol.
 */
final class RdmaStage implements Stage, RdmaEndpoint.Sink {
    private final SocketConnection connection;
    private final RdmaEndpoint endpoint;
    private volatile boolean isOver;

    /**
     * A stage that carries bytes once it is opened.
     *
     * @param connection whose
     * @param endpoint connected
     */
    RdmaStage(SocketConnection connection, RdmaEndpoint endpoint) {
        this.connection = connection;
        this.endpoint = endpoint;
    }

    void open() {
        endpoint.open(this);
    }

    @Override
    public void write(IOBuf data) {
        endpoint.write(data);
    }

    @Override
    public void writeSoon(IOBuf data) {
        endpoint.writeSoon(data);
    }

    @Override
    public void writeBeyondLimit(IOBuf data) {
        endpoint.writeBeyondLimit(data);
    }

    @Override
    public Optional<Poller> poller() {
        return endpoint.poller();
    }

    @Override
    public long unwrittenBytes() {
        return endpoint.unwrittenBytes();
    }

    @Override
    public ConnectionStatistics statistics() {
        return endpoint.statistics();
    }

    @Override
    public void close() {
        endpoint.close(new TransportException(TransportError.ECLOSE, "closed by this side"));
    }

    @Override
    public void abort(TransportException reason) {
        endpoint.abort(reason);
    }

    @Override
    public void onRead(ByteBuf bytes) {
        int count = bytes.readableBytes();
        bytes.release();
        if (count > 0 && !isOver) {
            endpoint.abort(
                    SocketFailure.of(
                            TransportError.EPROTO,
                            "bytes on TCP: "
                                    + count
                                    + " (expected: none, the connection runs over RDMA)"));
        }
    }

    @Override
    public void onReadComplete() {}

    @Override
    public void onEnd(TransportException reason) {
        if (!isOver) {
            endpoint.peerClosed(reason);
        }
    }

    @Override
    public void onOpen() {
        connection.tellOpen();
    }

    @Override
    public void onData(IOBuf received) {
        connection.tellData(received);
    }

    @Override
    public void onEnding() {
        isOver = true;
        connection.closeSocket();
    }

    @Override
    public void afterTcp(Runnable task) {
        connection.executeAfterReads(task);
    }

    @Override
    public void onClose(TransportException reason) {
        isOver = true;
        connection.finish(reason);
    }
}
