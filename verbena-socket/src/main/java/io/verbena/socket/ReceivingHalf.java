// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The receiving half of a socket: takes messages out of the inbox, and waits for one when there is
 * none.
 *
 * <p>Threads: any; receivers wait for each other.
 */
final class ReceivingHalf {
    private final SocketEndpoint endpoint;
    private final EventLoop loop;
    private final AtomicBoolean isClosing;
    private final ReentrantLock lock = new ReentrantLock();

    /** What is to be done when nobody receives, by whoever leaves next. */
    private final AtomicReference<Optional<Runnable>> last =
            new AtomicReference<>(Optional.empty());

    private final SocketWaiter waiter;
    private final InboxReader reader;
    private final BooleanSupplier isReadable;

    /**
     * Creates a half that has received nothing yet.
     *
     * @param endpoint where messages arrive
     * @param isClosing set as soon as the socket is being closed
     */
    ReceivingHalf(SocketEndpoint endpoint, AtomicBoolean isClosing) {
        this.endpoint = endpoint;
        this.loop = endpoint.loop();
        this.waiter = new SocketWaiter(loop);
        this.isClosing = isClosing;
        this.reader = new InboxReader(endpoint);
        this.isReadable = () -> reader.isReadableOrOver() || isClosing.get();
        endpoint.readiness(waiter::signal);
    }

    InboxReader reader() {
        return reader;
    }

    /** Copies the next message to a buffer; {@return its length, or END_OF_STREAM} */
    int receive(ByteBuffer target, long deadlineNs) throws IOException {
        lock.lock();
        try {
            return take(target, deadlineNs);
        } finally {
            leave();
        }
    }

    /** Does the same without waiting; {@return NO_MESSAGE if there is none} */
    int tryReceive(ByteBuffer target) throws IOException {
        if (!lock.tryLock()) {
            return RdmaSocket.NO_MESSAGE;
        }
        try {
            if (!reader.isReadableOrOver()) {
                loop.drive();
            }
            return isReadable.getAsBoolean()
                    ? take(target, SocketWaiter.FOREVER)
                    : RdmaSocket.NO_MESSAGE;
        } finally {
            leave();
        }
    }

    private int take(ByteBuffer target, long deadlineNs) throws IOException {
        if (!awaitMessage(deadlineNs)) {
            return RdmaSocket.END_OF_STREAM;
        }
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
        waiter.await(isReadable, deadlineNs);
        if (isClosing.get()) {
            throw new AsynchronousCloseException();
        }
        if (reader.isReadable()) {
            return true;
        }
        if (!reader.isCleanEnd()) {
            throw endpoint.lost();
        }
        return false;
    }

    /** {@return the next message, in place if it has memory of its own} */
    Optional<IncomingMessage> receiveMessage(long deadlineNs) throws IOException {
        lock.lock();
        try {
            if (!awaitMessage(deadlineNs)) {
                return Optional.empty();
            }
            reader.open();
            return Optional.of(takeMessage());
        } finally {
            leave();
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
     * Passes on the messages that are there now, up to a limit; {@return how many, or
     * END_OF_STREAM}
     */
    int poll(MessageHandler handler, int nodeId, int limit) throws IOException {
        lock.lock();
        try {
            if (!reader.isReadable()) {
                loop.drive();
            }
            int count = 0;
            while (count < limit && reader.isReadable() && !isClosing.get()) {
                reader.open();
                deliver(handler, nodeId);
                count++;
            }
            if (count == 0 && isReadable.getAsBoolean() && !awaitMessage(SocketWaiter.FOREVER)) {
                return RdmaSocket.END_OF_STREAM;
            }
            return count;
        } finally {
            leave();
        }
    }

    private void deliver(MessageHandler handler, int nodeId) {
        try {
            handler.onMessage(
                    nodeId, reader.flag(), reader.memory(), reader.offset(), reader.length());
        } finally {
            reader.finish();
        }
    }

    /** Wakes the waiting receiver to check again. */
    void signal() {
        waiter.signal();
    }

    /**
     * Runs something once, while nobody receives; if a handler keeps its message beyond the
     * deadline, the thread that handles it does so when it leaves. {@return whether it was run}
     */
    boolean runAlone(Runnable task, long deadlineNs) {
        // first: whoever has the lock sees it when it leaves
        last.set(Optional.of(task));
        if (!tryLock(deadlineNs)) {
            return false;
        }
        leave();
        return true;
    }

    private boolean tryLock(long deadlineNs) {
        try {
            return lock.tryLock(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return lock.tryLock();
        }
    }

    /**
     * Lets the calling thread use the reader, and the memory of its messages, until {@link
     * #giveBack}. {@return false if the socket is closed on this side}
     */
    boolean tryTake() {
        lock.lock();
        if (isClosing.get()) {
            leave();
            return false;
        }
        return true;
    }

    /** The calling thread has taken it. What was to be done when nobody receives is done now. */
    void giveBack() {
        leave();
    }

    private void leave() {
        try {
            // not under a handler that closes its own socket: it still has its message
            if (lock.getHoldCount() == 1) {
                runLast();
            }
        } finally {
            lock.unlock();
        }
        // set after that look, by a thread that did not get the lock
        while (last.get().isPresent() && !lock.isHeldByCurrentThread() && lock.tryLock()) {
            try {
                runLast();
            } finally {
                lock.unlock();
            }
        }
    }

    private void runLast() {
        if (last.get().isPresent()) {
            last.getAndSet(Optional.empty()).ifPresent(Runnable::run);
        }
    }
}
