// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.buffer.ByteBuf;
import io.verbena.completion.Poller;
import io.verbena.memory.IOBuf;
import java.util.Optional;

/**
 * What a connection is doing: running the handshake, or carrying bytes over TCP or RDMA. A
 * connection has one stage at a time; the first is always the handshake, and there is at most one
 * more.
 *
 * <p>Methods that begin with "on" are called by the event loop. Any thread may call the others.
 */
interface Stage {
    /**
     * Writes bytes, or queues them.
     *
     * @param data moved out of the buffer if the call returns
     * @throws TransportException with EOVERCROWDED, or the reason why the connection ended
     */
    void write(IOBuf data);

    /**
     * Writes bytes that may wait for others that are about to be written.
     *
     * @param data moved out of the buffer if the call returns
     * @throws TransportException as for {@link #write}
     */
    default void writeSoon(IOBuf data) {
        write(data);
    }

    /**
     * Writes bytes although too many are waiting.
     *
     * @param data moved out of the buffer if the call returns
     * @throws TransportException as for {@link #write}
     */
    default void writeBeyondLimit(IOBuf data) {
        write(data);
    }

    /** {@return what delivers what arrives, if a waiting thread can help it} */
    default Optional<Poller> poller() {
        return Optional.empty();
    }

    /** {@return how many bytes are queued} */
    long unwrittenBytes();

    /** {@return windows and counts; the states in it mean nothing} */
    ConnectionStatistics statistics();

    /** Ends the connection after what was written has been sent. */
    void close();

    /**
     * Ends the connection now.
     *
     * @param reason the reason passed to the handler
     */
    void abort(TransportException reason);

    /**
     * Bytes have arrived on TCP.
     *
     * @param bytes now owned by the stage
     */
    void onRead(ByteBuf bytes);

    /** There is nothing more to read for now. */
    void onReadComplete();

    /**
     * TCP has ended, on either side.
     *
     * @param reason EEOF, unless there was an error
     */
    void onEnd(TransportException reason);
}
