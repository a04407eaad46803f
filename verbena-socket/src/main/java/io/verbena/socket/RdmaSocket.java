// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * A connection that carries messages over RDMA and keeps their boundaries.
 *
 * <p>A message is sent when {@code send} returns, in the sense of a socket: it is on its way, and
 * the caller's memory is free. {@link #close} waits until the peer has everything. How much a peer
 * that does not read may hold up is bounded on both sides; then {@code send} waits.
 *
 * <p>Ownership: close it. Threads: any; senders wait for each other, and so do receivers, but
 * senders and receivers do not. Blocking calls are made for virtual threads.
 *
 * <p>Failure: what the peer had sent before it closed or went away can still be received; after
 * that, {@code receive} says {@link #END_OF_STREAM} if it closed in good order, and throws if not.
 */
public final class RdmaSocket implements Closeable {
    /** Instead of a length: the peer has closed, and everything was received. */
    public static final int END_OF_STREAM = -1;

    /** Instead of a length: there is no message now. */
    public static final int NO_MESSAGE = -2;

    private final SocketStack stack;
    private final SocketEndpoint endpoint;
    private final EventLoop loop;
    private final SocketOptions options;
    private final InetSocketAddress remoteAddress;
    private final ReentrantLock sending = new ReentrantLock();
    private final ReentrantLock receiving = new ReentrantLock();
    private final SpinThenPark receiver = new SpinThenPark();
    private final InboxReader reader;
    private final BooleanSupplier isReadable;
    private final BooleanSupplier hasRoom;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    private final int eagerLimit;
    private volatile int nodeId;

    // under the lock of senders
    private Outbox outbox;
    private int wantedBytes;
    private boolean isByRead;

    RdmaSocket(SocketStack stack, SocketEndpoint endpoint, InetSocketAddress remoteAddress) {
        this.stack = stack;
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.options = stack.options();
        this.remoteAddress = remoteAddress;
        this.reader = new InboxReader(endpoint);
        this.isReadable = () -> reader.isReadableOrOver() || isClosing.get();
        this.hasRoom = this::hasRoom;
        this.eagerLimit = endpoint.agreement().eagerLimit();
        endpoint.readiness(receiver::signal);
    }

    /**
     * {@return a connection to a server}
     *
     * @param stack what it uses
     * @param server the address of the server
     * @param nodeId how this side calls itself
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

    /** {@return whether small messages travel inside a SEND: both sides are of this library} */
    public boolean isNative() {
        return endpoint.agreement().isNative();
    }

    /** {@return the address of the peer} */
    public InetSocketAddress remoteAddress() {
        return remoteAddress;
    }

    /** {@return the longest message that can be sent} */
    public int maxMessageBytes() {
        return options.maxMessageBytes();
    }

    /** {@return whether it was closed on this side} */
    public boolean isClosed() {
        return isClosing.get();
    }

    /**
     * Sends a message, waiting for room if need be.
     *
     * @param source its remaining bytes are the message; none are left after
     * @throws IOException if the connection does not take it
     */
    public void send(ByteBuffer source) throws IOException {
        send(source, 0, SpinThenPark.FOREVER);
    }

    /**
     * Sends a message, waiting for room for a limited time.
     *
     * @param source its remaining bytes are the message; none are left after
     * @param timeout how long to wait
     * @throws SocketTimeoutException if there was no room in time; nothing was sent
     * @throws IOException if the connection does not take it
     */
    public void send(ByteBuffer source, Duration timeout) throws IOException {
        send(source, 0, SpinThenPark.deadline(timeout.toNanos()));
    }

    /**
     * Sends a message as a frame of a group that goes on, waiting for room if need be.
     *
     * @param source its remaining bytes are the message; none are left after
     * @throws IOException if the connection does not take it
     */
    public void sendMore(ByteBuffer source) throws IOException {
        send(source, MetaData.MORE, SpinThenPark.FOREVER);
    }

    private void send(ByteBuffer source, int flag, long deadlineNs) throws IOException {
        int length = source.remaining();
        checkLength(length);
        sending.lock();
        try {
            checkSendable();
            if (length > eagerLimit) {
                sendCopy(source, flag, deadlineNs);
            } else {
                while (!outbox().tryPut(source, flag)) {
                    awaitRoom(Outbox.HEADER + length, false, deadlineNs);
                }
                source.position(source.limit());
            }
        } finally {
            sending.unlock();
        }
        loop.call(endpoint);
    }

    private void sendCopy(ByteBuffer source, int flag, long deadlineNs) throws IOException {
        int length = source.remaining();
        Payload payload = length == 0 ? Payload.EMPTY : stack.awaitMemory(this, length, deadlineNs);
        boolean isPut = false;
        try {
            if (length > 0) {
                payload.memory().asByteBuffer().put(0, source, source.position(), length);
            }
            put(payload, flag, deadlineNs);
            isPut = true;
        } finally {
            if (!isPut) {
                payload.release();
            }
        }
        source.position(source.limit());
    }

    private void put(Payload payload, int flag, long deadlineNs) throws IOException {
        Outbox ring = outbox();
        wantedBytes = payload.length();
        isByRead = true;
        if (!hasRoom()) {
            awaitRoom(payload.length(), true, deadlineNs);
        }
        while (!ring.tryPut(payload, flag)) {
            awaitRoom(payload.length(), true, deadlineNs);
        }
    }

    /**
     * {@return memory to write a message into and send it without a copy}
     *
     * @param length how many bytes, at least 1
     * @throws IOException if the connection is no more
     */
    public OutgoingMessage prepare(int length) throws IOException {
        checkLength(length);
        if (length == 0) {
            throw new IllegalArgumentException("length: 0 (expected: at least 1; use send)");
        }
        return new OutgoingMessage(this, stack.awaitMemory(this, length, SpinThenPark.FOREVER));
    }

    void send(Payload payload, int flag) throws IOException {
        sending.lock();
        try {
            checkSendable();
            put(payload, flag, SpinThenPark.FOREVER);
        } finally {
            sending.unlock();
        }
        loop.call(endpoint);
    }

    private void checkLength(int length) {
        if (length > options.maxMessageBytes()) {
            throw new IllegalArgumentException(
                    "length: "
                            + length
                            + " (expected: at most "
                            + options.maxMessageBytes()
                            + "; send several messages, or raise maxMessageBytes on both sides)");
        }
    }

    void checkSendable() throws IOException {
        if (isClosing.get()) {
            throw new ClosedChannelException();
        }
        if (endpoint.isPeerClosed()) {
            throw new SocketException("the peer has closed the connection");
        }
        if (endpoint.isLeaving()) {
            throw lost();
        }
    }

    private IOException lost() {
        IOException cause = endpoint.failure();
        return cause == null
                ? new SocketException("the connection is lost")
                : new IOException("the connection is lost: " + cause.getMessage(), cause);
    }

    private Outbox outbox() throws IOException {
        if (outbox == null) {
            outbox = stack.newOutbox(isNative());
            endpoint.open(outbox);
        }
        return outbox;
    }

    private void awaitRoom(int bytes, boolean byRead, long deadlineNs) throws IOException {
        wantedBytes = bytes;
        isByRead = byRead;
        loop.call(endpoint);
        endpoint.sender().await(loop, hasRoom, deadlineNs);
        checkSendable();
    }

    private boolean hasRoom() {
        if (endpoint.isLeaving() || endpoint.isPeerClosed() || isClosing.get()) {
            return true;
        }
        if (!isByRead) {
            return outbox.hasRoomFor(wantedBytes);
        }
        long unacknowledged = outbox.unacknowledgedBytes();
        return outbox.hasRoomForPayload()
                && (unacknowledged == 0
                        || unacknowledged + wantedBytes <= options.maxUnacknowledgedBytes());
    }

    /**
     * Receives a message, waiting for one if need be.
     *
     * @param target where to put it
     * @return its length, or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target has not enough room; the message stays
     * @throws IOException if the connection was lost or closed
     */
    public int receive(ByteBuffer target) throws IOException {
        return receive(target, SpinThenPark.FOREVER);
    }

    /**
     * Receives a message, waiting for a limited time.
     *
     * @param target where to put it
     * @param timeout how long to wait
     * @return its length, or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target has not enough room; the message stays
     * @throws SocketTimeoutException if none came in time
     * @throws IOException if the connection was lost or closed
     */
    public int receive(ByteBuffer target, Duration timeout) throws IOException {
        return receive(target, SpinThenPark.deadline(timeout.toNanos()));
    }

    private int receive(ByteBuffer target, long deadlineNs) throws IOException {
        receiving.lock();
        try {
            return awaitMessage(deadlineNs) ? take(target) : END_OF_STREAM;
        } finally {
            receiving.unlock();
        }
    }

    /**
     * Receives a message if there is one.
     *
     * @param target where to put it
     * @return its length, {@link #NO_MESSAGE} or {@link #END_OF_STREAM}
     * @throws IllegalArgumentException if the target has not enough room; the message stays
     * @throws IOException if the connection was lost or closed
     */
    public int tryReceive(ByteBuffer target) throws IOException {
        if (!receiving.tryLock()) {
            return NO_MESSAGE;
        }
        try {
            if (!reader.isReadableOrOver()) {
                loop.drive();
            }
            if (!isReadable.getAsBoolean()) {
                return NO_MESSAGE;
            }
            return awaitMessage(SpinThenPark.FOREVER) ? take(target) : END_OF_STREAM;
        } finally {
            receiving.unlock();
        }
    }

    private int take(ByteBuffer target) throws IOException {
        reader.open();
        int length = reader.length();
        if (target.remaining() < length) {
            throw new IllegalArgumentException(
                    "target: " + target.remaining() + " bytes (expected: at least " + length + ")");
        }
        reader.copyTo(target);
        reader.finish();
        return length;
    }

    /** {@return whether there is a message, waiting for one; false if none will come} */
    private boolean awaitMessage(long deadlineNs) throws IOException {
        if (isClosing.get()) {
            throw new ClosedChannelException();
        }
        if (reader.isReadable()) {
            return true;
        }
        receiver.await(loop, isReadable, deadlineNs);
        if (isClosing.get()) {
            throw new AsynchronousCloseException();
        }
        if (reader.isReadable()) {
            return true;
        }
        if (!reader.isCleanEnd()) {
            throw lost();
        }
        return false;
    }

    /**
     * {@return the next message, waiting for one if need be; nothing at the end of the stream}
     *
     * <p>A large message is not copied: close it.
     *
     * @throws IOException if the connection was lost or closed
     */
    public Optional<IncomingMessage> receiveMessage() throws IOException {
        return receiveMessage(SpinThenPark.FOREVER);
    }

    /**
     * {@return the next message, waiting for a limited time; nothing at the end of the stream}
     *
     * @param timeout how long to wait
     * @throws SocketTimeoutException if none came in time
     * @throws IOException if the connection was lost or closed
     */
    public Optional<IncomingMessage> receiveMessage(Duration timeout) throws IOException {
        return receiveMessage(SpinThenPark.deadline(timeout.toNanos()));
    }

    private Optional<IncomingMessage> receiveMessage(long deadlineNs) throws IOException {
        receiving.lock();
        try {
            if (!awaitMessage(deadlineNs)) {
                return Optional.empty();
            }
            reader.open();
            return Optional.of(takeMessage());
        } finally {
            receiving.unlock();
        }
    }

    private IncomingMessage takeMessage() {
        int flag = reader.flag();
        if (reader.isDetachable()) {
            Payload payload = reader.detach();
            return new IncomingMessage(
                    payload.memory().asSlice(0, payload.length()),
                    flag,
                    () -> reader.release(payload));
        }
        MemorySegment copy = MemorySegment.ofArray(reader.copy());
        reader.finish();
        return new IncomingMessage(copy, flag, () -> {});
    }

    /**
     * Hands messages that are there to a handler, where they lie; never waits.
     *
     * @param handler called in this thread
     * @param limit the most messages
     * @return how many there were, or {@link #END_OF_STREAM} if there were none and none will come
     * @throws IOException if the connection was lost or closed, and there were none
     */
    public int poll(MessageHandler handler, int limit) throws IOException {
        receiving.lock();
        try {
            if (!reader.isReadable()) {
                loop.drive();
            }
            int count = 0;
            while (count < limit && reader.isReadable() && !isClosing.get()) {
                reader.open();
                handler.onMessage(
                        nodeId, reader.flag(), reader.memory(), reader.offset(), reader.length());
                reader.finish();
                count++;
            }
            if (count == 0 && isReadable.getAsBoolean() && !awaitMessage(SpinThenPark.FOREVER)) {
                return END_OF_STREAM;
            }
            return count;
        } finally {
            receiving.unlock();
        }
    }

    /**
     * Has messages handed to a listener from now on, as they come, on a virtual thread. Nothing
     * else may receive after this call.
     *
     * @param listener called by one thread at a time; it may block
     */
    public void listen(MessageListener listener) {
        new Delivery(this, listener).start(endpoint);
    }

    /** {@return whether there may be something to poll} */
    boolean isPollable() {
        return reader.isReadableOrOver();
    }

    InboxReader reader() {
        return reader;
    }

    SocketEndpoint endpoint() {
        return endpoint;
    }

    /** {@return why there will be no message any more, unless the peer closed in good order} */
    Optional<IOException> verdict() {
        return reader.isCleanEnd() ? Optional.empty() : Optional.of(lost());
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
     * Waits until the peer has everything that was sent, says that nothing follows, and ends the
     * connection. Messages that were not received are dropped. Always ends: after {@link
     * SocketOptions#closeTimeout} the connection is cut.
     *
     * @throws IOException if the peer may not have everything; the socket is closed all the same
     */
    @Override
    public void close() throws IOException {
        if (!isClosing.compareAndSet(false, true)) {
            return;
        }
        receiver.signal();
        endpoint.sender().signal();
        boolean hasArrived;
        sending.lock();
        try {
            hasArrived = awaitOutput();
        } finally {
            sending.unlock();
        }
        abort();
        if (!hasArrived) {
            throw new IOException(
                    "closed before the peer had everything that was sent (" + endpoint + ")",
                    endpoint.failure());
        }
    }

    private boolean awaitOutput() throws IOException {
        if (outbox == null && endpoint.isPeerClosed()) {
            return true;
        }
        endpoint.close();
        try {
            endpoint.sender()
                    .await(
                            loop,
                            endpoint::isOutputOver,
                            SpinThenPark.deadline(options.closeTimeout().toNanos()));
        } catch (SocketTimeoutException e) {
            return false;
        } catch (IOException e) {
            abort();
            throw e;
        }
        return endpoint.isOutputDone() || endpoint.isPeerClosed() || outbox == null;
    }

    /** Ends the connection at once. */
    void abort() {
        isClosing.set(true);
        endpoint.depart();
        endpoint.awaitEnd();
        receiver.signal();
        endpoint.sender().signal();
        sending.lock();
        receiving.lock();
        try {
            stack.forget(this);
        } finally {
            receiving.unlock();
            sending.unlock();
        }
    }

    @Override
    public String toString() {
        return "RDMA socket to " + remoteAddress + ", node " + nodeId;
    }
}
