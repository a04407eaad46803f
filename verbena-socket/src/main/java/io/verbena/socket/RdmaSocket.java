// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that carries messages over RDMA and keeps their boundaries.
 *
 * <p>When {@code send} returns, a message is sent in the sense of a socket: it is on its way, and
 * the caller's memory is free. {@link #close} waits until the peer has everything. If the peer does
 * not read, the amount of data that may wait is bounded on both sides; then {@code send} waits.
 *
 * <p>Ownership: close it. Threads: any; senders wait for each other, and so do receivers, but
 * senders and receivers do not. Blocking calls are designed for virtual threads.
 *
 * <p>Failure: what the peer had sent before it closed or went away can still be received; after
 * that, {@code receive} returns {@link #END_OF_STREAM} if the peer closed normally, and throws if
 * not.
 */
public final class RdmaSocket implements Closeable {
    /** Instead of a length: the peer has closed, and everything was received. */
    public static final int END_OF_STREAM = -1;

    /** Instead of a length: there is no message now. */
    public static final int NO_MESSAGE = -2;

    /** How long to wait for a handler that keeps its message. */
    static final long KEPT_NS = 1_000_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaSocket.class);

    private final SocketStack stack;
    private final SocketEndpoint endpoint;
    private final InetSocketAddress remoteAddress;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final SendingHalf sending;
    private final ReceivingHalf receiving;
    private volatile int nodeId;

    RdmaSocket(SocketStack stack, SocketEndpoint endpoint, InetSocketAddress remoteAddress) {
        this.stack = stack;
        this.endpoint = endpoint;
        this.remoteAddress = remoteAddress;
        this.sending = new SendingHalf(stack, endpoint, isClosing);
        this.receiving = new ReceivingHalf(endpoint, isClosing);
    }

    /**
     * {@return a connection to a server}
     *
     * @param stack what it uses
     * @param server the address of the server
     * @param nodeId how this side identifies itself
     * @throws java.net.ConnectException if the server refuses
     * @throws IOException if there is no connection in time, or the device has no room
     */
    public static RdmaSocket connect(SocketStack stack, InetSocketAddress server, int nodeId)
            throws IOException {
        return stack.connect(server, nodeId);
    }

    /** {@return the node id of the side that connected} */
    public int nodeId() {
        return nodeId;
    }

    void nodeId(int id) {
        nodeId = id;
    }

    /** {@return whether small messages travel inside a SEND: both sides use this library} */
    public boolean isNative() {
        return endpoint.agreement().isNative();
    }

    /** {@return the address of the peer} */
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** {@return the longest message that can be sent} */
    public int maxMessageBytes() {
        return stack.options().maxMessageBytes();
    }

    /** {@return whether it was closed on this side} */
    public boolean isClosed() {
        return isClosing.get();
    }

    /**
     * Sends a message, waiting for room if necessary.
     *
     * @param source its remaining bytes are the message; none are left afterwards
     * @throws IOException if the connection does not accept it
     */
    public void send(ByteBuffer source) throws IOException {
        sending.send(source, 0, SocketWaiter.FOREVER);
    }

    /**
     * Sends a message, waiting for room for a limited time.
     *
     * @param source its remaining bytes are the message; none are left afterwards
     * @param timeout how long to wait
     * @throws SocketTimeoutException if there was no room in time; nothing was sent
     * @throws IOException if the connection does not accept it
     */
    public void send(ByteBuffer source, Duration timeout) throws IOException {
        sending.send(source, 0, SocketWaiter.deadline(timeout.toNanos()));
    }

    /**
     * Sends a message as a frame of a group that continues, waiting for room if necessary.
     *
     * @param source its remaining bytes are the message; none are left afterwards
     * @throws IOException if the connection does not accept it
     */
    public void sendMore(ByteBuffer source) throws IOException {
        sending.send(source, MetaData.MORE, SocketWaiter.FOREVER);
    }

    /**
     * {@return memory for a message that is sent without a copy}
     *
     * @param length how many bytes, at least 1
     * @throws IOException if the connection has ended
     */
    public OutgoingMessage prepare(int length) throws IOException {
        return new OutgoingMessage(sending, sending.prepare(length));
    }

    /**
     * Receives a message, waiting for one if necessary.
     *
     * @param target where to put it
     * @return its length, or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target does not have enough room; the message is kept
     * @throws IOException if the connection was lost or closed
     */
    public int receive(ByteBuffer target) throws IOException {
        return receiving.receive(target, SocketWaiter.FOREVER);
    }

    /**
     * Receives a message, waiting for a limited time.
     *
     * @param target where to put it
     * @param timeout how long to wait
     * @return its length, or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target does not have enough room; the message is kept
     * @throws SocketTimeoutException if none came in time
     * @throws IOException if the connection was lost or closed
     */
    public int receive(ByteBuffer target, Duration timeout) throws IOException {
        return receiving.receive(target, SocketWaiter.deadline(timeout.toNanos()));
    }

    /**
     * Receives a message if there is one.
     *
     * @param target where to put it
     * @return its length, {@link #NO_MESSAGE} or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target does not have enough room; the message is kept
     * @throws IOException if the connection was lost or closed
     */
    public int tryReceive(ByteBuffer target) throws IOException {
        return receiving.tryReceive(target);
    }

    /**
     * {@return the next message, waiting for one if necessary; nothing at the end of the stream}
     *
     * <p>A large message is not copied: close it.
     *
     * @throws IOException if the connection was lost or closed
     */
    public Optional<IncomingMessage> receiveMessage() throws IOException {
        return receiving.receiveMessage(SocketWaiter.FOREVER);
    }

    /**
     * {@return the next message, waiting for a limited time; nothing at the end of the stream}
     *
     * @param timeout how long to wait
     * @throws SocketTimeoutException if none came in time
     * @throws IOException if the connection was lost or closed
     */
    public Optional<IncomingMessage> receiveMessage(Duration timeout) throws IOException {
        return receiving.receiveMessage(SocketWaiter.deadline(timeout.toNanos()));
    }

    /**
     * Passes the messages that are there to a handler, in place; never waits.
     *
     * @param handler called on this thread
     * @param limit the most messages
     * @return how many there were, or {@link #END_OF_STREAM} if there were none and none will come
     * @throws IOException if the connection was lost or closed, and there were none
     */
    public int poll(MessageHandler handler, int limit) throws IOException {
        return receiving.poll(handler, nodeId, limit);
    }

    /**
     * Passes messages to a listener from now on, as they arrive, on a virtual thread. Nothing else
     * may receive after this call.
     *
     * @param listener called by one thread at a time; it may block
     */
    public void listen(MessageListener listener) {
        new Delivery(this, listener).start(endpoint);
    }

    /** {@return whether there may be something to poll} */
    boolean isPollable() {
        return receiving.reader().isReadableOrOver();
    }

    InboxReader reader() {
        return receiving.reader();
    }

    /** See {@link ReceivingHalf#tryTake}. */
    boolean tryTakeReader() {
        return receiving.tryTake();
    }

    void giveBackReader() {
        receiving.giveBack();
    }

    SocketEndpoint endpoint() {
        return endpoint;
    }

    /** {@return a view of this socket's messages as a stream of bytes; closing it closes this} */
    public InputStream inputStream() {
        return new SocketInput(this);
    }

    /** {@return a view of this socket as a stream of bytes; every write is sent at once} */
    public OutputStream outputStream() {
        return new SocketOutput(this);
    }

    /**
     * Waits until the peer has everything that was sent, tells it that nothing follows, and ends
     * the connection. Messages that were not received are dropped. Always finishes: after {@link
     * SocketOptions#closeTimeout} the connection is cut. If a handler or a listener keeps a message
     * for longer than a second, its memory is given back when it returns, and not waited for.
     *
     * @throws IOException if the peer may not have everything; the socket is closed anyway
     */
    @Override
    public void close() throws IOException {
        if (!isClosing.compareAndSet(false, true)) {
            return;
        }
        receiving.signal();
        sending.signal();
        boolean hasArrived;
        try {
            hasArrived = sending.finish(stack.options().closeTimeout());
        } finally {
            abort();
        }
        if (!hasArrived) {
            throw new IOException(
                    "closed before the peer had everything that was sent (" + endpoint + ")",
                    endpoint.failure().orElse(null));
        }
    }

    /**
     * Ends the connection at once. What the socket holds is given back when no handler has one of
     * its messages any more, which is waited for only a moment.
     */
    void abort() {
        startAbort();
        awaitEnd();
        if (!release(SocketWaiter.deadline(KEPT_NS))) {
            LOG.warn("{} is closed while a handler has a message; its memory waits for it", this);
        }
    }

    /** Lets the connection end soon. */
    void startAbort() {
        isClosing.set(true);
        endpoint.depart();
    }

    /** Waits until the connection has ended, and tells its users. After {@link #startAbort}. */
    void awaitEnd() {
        endpoint.awaitEnd();
        receiving.signal();
        sending.signal();
    }

    /**
     * Gives back what it holds; {@return false if a handler keeps a message beyond the deadline,
     * and does so when it returns} After {@link #awaitEnd}.
     */
    boolean release(long deadlineNs) {
        return receiving.runAlone(() -> sending.runAlone(() -> stack.forget(this)), deadlineNs);
    }

    @Override
    public String toString() {
        return "RDMA socket to " + remoteAddress + ", node " + nodeId;
    }
}
