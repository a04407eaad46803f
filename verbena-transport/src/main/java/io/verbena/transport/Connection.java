// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import java.net.InetSocketAddress;

/**
 * An ordered stream of bytes in each direction, over RDMA or over TCP.
 *
 * <p>Any thread may call any method. The {@link ConnectionHandler} hears what arrives, and of the
 * end, from one thread at a time.
 */
public interface Connection extends AutoCloseable {
    /** {@return a number that no other connection of this process has} */
    long id();

    /** {@return whether bytes travel over RDMA; false before the handshake is over} */
    boolean isRdma();

    /** {@return how far the handshake has come, by brpc's names} */
    HandshakeState handshakeState();

    /** {@return where writes go, as the handshake has decided it so far} */
    RdmaState rdmaState();

    /** {@return this end of the TCP connection} */
    InetSocketAddress localAddress();

    /** {@return the other end of the TCP connection} */
    InetSocketAddress remoteAddress();

    /**
     * Writes bytes. Never blocks; bytes written before the handshake is over wait for it.
     *
     * @param data what to write; taken out of the buffer, without copying, if the call returns, and
     *     left in it if the call throws
     * @throws TransportException with EOVERCROWDED if too much is waiting already, or with the
     *     reason why the connection is closed
     */
    void write(IOBuf data);

    /** {@return how many bytes were given to {@link #write} and not yet to the device or kernel} */
    long unwrittenBytes();

    /** {@return windows, credits and counts of this connection now} */
    ConnectionStatistics statistics();

    /**
     * Closes the connection when everything written has reached the peer's memory, or the peer is
     * gone, or the time limit for that has passed. Returns at once; the handler is told.
     */
    @Override
    void close();

    /**
     * Closes the connection now. What was written and not yet sent is lost.
     *
     * @param reason what the handler is told
     */
    void abort(TransportException reason);
}
