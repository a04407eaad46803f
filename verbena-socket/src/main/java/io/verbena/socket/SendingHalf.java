// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The sending half of a socket: puts messages into the outbox, and waits for room when there is
 * none.
 *
 * <p>Threads: any; senders wait for each other.
 */
final class SendingHalf {
    private final SocketStack stack;
    private final SocketEndpoint endpoint;
    private final EventLoop loop;
    private final SocketOptions options;
    private final AtomicBoolean isClosing;
    private final ReentrantLock lock = new ReentrantLock();
    private final BooleanSupplier hasRoom = this::hasRoom;
    private final int eagerLimit;

    // under the lock; the outbox is made for the first message
    private Outbox outbox;
    private int wantedBytes;
    private boolean isByRead;

    /**
     * Creates a half that has sent nothing yet.
     *
     * @param stack whose memory it uses
     * @param endpoint what carries the messages
     * @param isClosing set as soon as the socket is being closed
     */
    SendingHalf(SocketStack stack, SocketEndpoint endpoint, AtomicBoolean isClosing) {
        this.stack = stack;
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.options = stack.options();
        this.isClosing = isClosing;
        this.eagerLimit = endpoint.agreement().eagerLimit();
    }

    /** Sends the remaining bytes of a buffer as a message, waiting for room if necessary. */
    void send(ByteBuffer source, int flag, long deadlineNs) throws IOException {
        int length = source.remaining();
        checkLength(length);
        lock.lock();
        try {
            checkSendable();
            if (length > eagerLimit) {
                sendCopy(source, flag, deadlineNs);
            } else {
                Outbox ring = openOutbox();
                while (!ring.tryPut(source, flag)) {
                    awaitRoom(Outbox.HEADER + length, false, deadlineNs);
                }
                source.position(source.limit());
            }
        } finally {
            lock.unlock();
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

    /** Sends a message without a copy, waiting for room if necessary. */
    void send(Payload payload, int flag) throws IOException {
        lock.lock();
        try {
            checkSendable();
            put(payload, flag, SocketWaiter.FOREVER);
        } finally {
            lock.unlock();
        }
        loop.call(endpoint);
    }

    private void put(Payload payload, int flag, long deadlineNs) throws IOException {
        Outbox ring = openOutbox();
        wantedBytes = payload.length();
        isByRead = true;
        if (!hasRoom()) {
            awaitRoom(payload.length(), true, deadlineNs);
        }
        while (!ring.tryPut(payload, flag)) {
            awaitRoom(payload.length(), true, deadlineNs);
        }
    }

    /** {@return memory for a message of the given length, waiting for it if necessary} */
    Payload prepare(int length) throws IOException {
        checkLength(length);
        if (length == 0) {
            throw new IllegalArgumentException("length: 0 (expected: at least 1; use send)");
        }
        return stack.awaitMemory(this, length, SocketWaiter.FOREVER);
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

    /** Fails if nothing can be sent any more. */
    void checkSendable() throws IOException {
        if (isClosing.get()) {
            throw new ClosedChannelException();
        }
        if (endpoint.isPeerClosed()) {
            throw new SocketException("the peer has closed the connection");
        }
        if (endpoint.isLeaving()) {
            throw endpoint.lost();
        }
    }

    /** {@return memory for messages that the peer reads} */
    OutgoingMemory memory() {
        return endpoint.outgoing();
    }

    private Outbox openOutbox() throws IOException {
        if (outbox == null) {
            outbox = stack.newOutbox(endpoint.agreement().isNative());
            endpoint.open(outbox);
        }
        return outbox;
    }

    private void awaitRoom(int bytes, boolean byRead, long deadlineNs) throws IOException {
        wantedBytes = bytes;
        isByRead = byRead;
        loop.call(endpoint);
        endpoint.sender().await(hasRoom, deadlineNs);
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
     * Tells the peer that nothing follows, and waits until it has everything.
     *
     * @param timeout how long to wait
     * @return whether it has
     * @throws IOException if the wait was interrupted
     */
    boolean finish(Duration timeout) throws IOException {
        lock.lock();
        try {
            if (outbox == null && endpoint.isPeerClosed()) {
                return true;
            }
            endpoint.close();
            endpoint.sender()
                    .await(endpoint::isOutputOver, SocketWaiter.deadline(timeout.toNanos()));
            return endpoint.isOutputDone() || endpoint.isPeerClosed() || outbox == null;
        } catch (SocketTimeoutException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the waiting sender to check again. */
    void signal() {
        endpoint.sender().signal();
    }

    /** Runs something while nobody sends. */
    void runAlone(Runnable task) {
        lock.lock();
        try {
            task.run();
        } finally {
            lock.unlock();
        }
    }
}
