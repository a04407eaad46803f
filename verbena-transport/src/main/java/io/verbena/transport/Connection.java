// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.completion.Waiter;
import io.verbena.memory.IOBuf;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * An ordered stream of bytes in each direction, over RDMA or over TCP.
 *
 * <p>Any thread may call any method. The {@link ConnectionHandler} is called by one thread at a
 * time with what arrives, and when the connection ends.
 */
public interface Connection extends AutoCloseable {
    /** {@return a number that no other connection of this process has} */
    long id();

    /** {@return whether bytes travel over RDMA; false before the handshake is over} */
    boolean isRdma();

    /** {@return how far the handshake has come, in brpc's terms} */
    HandshakeState handshakeState();

    /** {@return where writes go, as far as the handshake has decided} */
    RdmaState rdmaState();

    /**
     * {@return why bytes travel over TCP although RDMA was asked for; empty if they do not, or if
     * only the peer knows}
     */
    Optional<String> fallbackReason();

    /**
     * {@return what TLS has agreed on; empty without TLS} Over RDMA only the handshake went through
     * TLS: what is sent is not encrypted.
     */
    Optional<TlsSession> tls();

    /** {@return whether all bytes are encrypted: TLS on TCP} */
    default boolean isEncrypted() {
        return tls().isPresent() && !isRdma();
    }

    /** {@return this end of the TCP connection} */
    InetSocketAddress localAddress();

    /** {@return the other end of the TCP connection} */
    InetSocketAddress remoteAddress();

    /**
     * The peer has proved itself: the limits for newcomers no longer apply. Only for handlers that
     * say {@link ConnectionHandler#admitsPeers}; for others this happens when the connection opens.
     */
    void admit();

    /**
     * The peer has sent something useful, but has not proved itself: the limits for newcomers still
     * apply, as if it had just connected.
     */
    void renew();

    /**
     * Writes bytes. Never blocks; bytes written before the handshake is over wait until it is.
     *
     * @param data what to write; moved out of the buffer, without copying, if the call returns, and
     *     left in it if the call throws
     * @throws TransportException with EOVERCROWDED if too many bytes are waiting already, or with
     *     the reason why the connection is closed
     */
    void write(IOBuf data);

    /**
     * Writes bytes like {@link #write}, but they may leave a moment later, together with what
     * others write meanwhile. For a thread that calls {@link #await} next, and for placed tasks.
     *
     * @param data as for {@link #write}
     * @throws TransportException as for {@link #write}
     */
    void writeSoon(IOBuf data);

    /**
     * Writes bytes like {@link #write}, but also while too many are waiting, up to {@link
     * TransportFlags#BEYOND_LIMIT_BYTES} more. For what is short and must not be lost, such as the
     * answer that there is no room for an answer.
     *
     * @param data as for {@link #write}
     * @throws TransportException as for {@link #write}
     */
    void writeBeyondLimit(IOBuf data);

    /**
     * Waits for something that this connection's handler will end. Over RDMA the waiting thread
     * polls for a while, so that the end needs no wake-up; handlers of other connections that this
     * process opened may then be called on it.
     *
     * @param waiter made by the calling thread
     */
    void await(Waiter waiter);

    /**
     * An answer is expected that no thread waits for in {@link #await}. Over RDMA this keeps the
     * connection's own thread from leaving the work to waiting threads. Cheap if called often.
     */
    void attend();

    /**
     * {@return whether the thread that calls the handler now will run a task when it has handed out
     * everything that arrived} Called by a handler. The task may block: if it keeps the thread for
     * more than a moment, another thread hands out what arrives. Over TCP there is no such thread.
     *
     * @param task run once if this returns true
     */
    boolean tryPlace(Runnable task);

    /**
     * {@return how many bytes were passed to {@link #write} but not yet to the device or the
     * kernel}
     */
    long unwrittenBytes();

    /** {@return windows, credits and counts of this connection now} */
    ConnectionStatistics statistics();

    /**
     * Closes the connection when everything written has reached the peer's memory, or the peer is
     * gone, or the time limit for that has passed. Returns at once; the handler is notified.
     */
    @Override
    void close();

    /**
     * Closes the connection now. Bytes that were written but not yet sent are lost.
     *
     * @param reason the reason passed to the handler
     */
    void abort(TransportException reason);
}
