// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving end of a message queue: many senders, one order per sender.
 *
 * <p>Messages stay with their connections until they are received; a sender that is faster than the
 * receiver is slowed down by its own connection, and no other. Senders take turns. The frames of a
 * group come one after the other with nothing in between, once the group is complete. If a sender
 * goes away in the middle of a group, the frames it had sent are delivered.
 *
 * <p>Ownership: close it. Threads: any; receivers wait for each other.
 */
public final class MessageReceiver implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(MessageReceiver.class);

    private static final long FAREWELL_NS = 1_000_000_000;
    private static final long PAUSE_NS = 100_000_000;

    /** Keeps a copy of the one message it is handed. */
    private static final class Catcher implements MessageHandler {
        private Message caught;

        @Override
        public void onMessage(int nodeId, int flag, MemorySegment memory, long offset, int length) {
            byte[] bytes = new byte[length];
            MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
            caught = new Message(nodeId, (flag & MORE) != 0, bytes);
        }

        /** {@return the message, which is not kept} */
        Message take() {
            Message message = caught;
            caught = null;
            return message;
        }
    }

    private final SocketStack stack;
    private final RdmaServerSocket server;
    private final Set<Member> members = ConcurrentHashMap.newKeySet();
    private final CallList<Member> calls = new CallList<>();
    private final ReentrantLock receiving = new ReentrantLock();
    private final SocketWaiter waiter;
    private final BooleanSupplier isCalled = this::isCalled;
    private final Lineup lineup;
    private final Consumer<Member> lineUp;
    private final Catcher catcher = new Catcher();
    private volatile boolean isClosed;
    private volatile ThreadFactory threads = Thread.ofPlatform().daemon().factory();

    /** No thread could be started for the end: whoever has the lock does it on leaving. */
    private final AtomicBoolean isEndDue = new AtomicBoolean();

    /** Why nobody can connect any more, if that is so. */
    private volatile Optional<IOException> failure = Optional.empty();

    private MessageReceiver(SocketStack stack, RdmaServerSocket server, GroupLimits limits) {
        this.stack = stack;
        this.server = server;
        this.waiter = new SocketWaiter(stack.loop());
        this.lineup = new Lineup(limits, this::onGone);
        this.lineUp = lineup::add;
    }

    /**
     * {@return a receiver that senders can connect to}
     *
     * @param stack what it and its connections use
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @throws IOException if the address cannot be bound, or the device refuses
     */
    public static MessageReceiver bind(SocketStack stack, InetSocketAddress local)
            throws IOException {
        return bind(stack, local, GroupLimits.DEFAULT);
    }

    /**
     * {@return a receiver that senders can connect to}
     *
     * @param stack what it and its connections use
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @param limits how much it holds of incomplete groups
     * @throws IOException if the address cannot be bound, or the device refuses
     */
    public static MessageReceiver bind(
            SocketStack stack, InetSocketAddress local, GroupLimits limits) throws IOException {
        RdmaServerSocket server = RdmaServerSocket.bind(stack, local);
        try {
            MessageReceiver receiver = new MessageReceiver(stack, server, limits);
            Thread.ofPlatform()
                    .daemon()
                    .name("verbena-queue-" + server.localAddress().getPort())
                    .start(receiver::welcome);
            return receiver;
        } catch (Throwable e) { // or the port would stay bound, and nobody would have it
            server.close();
            throw e;
        }
    }

    /** {@return the address it listens on, with the port it got} */
    public InetSocketAddress localAddress() {
        return server.localAddress();
    }

    /** {@return how many senders are connected, or have left something to be delivered} */
    public int senders() {
        return members.size();
    }

    /** {@return the bytes held of groups whose last frame has not arrived} For tests. */
    long heldBytes() {
        receiving.lock();
        try {
            return lineup.heldBytes();
        } finally {
            receiving.unlock();
        }
    }

    private void welcome() {
        while (!isClosed && failure.isEmpty()) {
            try {
                welcome(server.accept());
            } catch (IOException e) {
                onNoMoreSenders(e);
            } catch (Throwable e) { // without this thread, senders would connect in vain
                Faults.warn(MessageReceiver.class, "a sender could not be accepted", this, e);
                // what comes back at once must not fill the log at full speed
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    private void welcome(RdmaSocket socket) {
        try {
            Member member = new Member(socket, this);
            members.add(member);
            member.join();
            if (isClosed) {
                // its frames, if any, are dropped with the others
                socket.abort();
            }
        } catch (Throwable e) { // it costs this sender and no other
            members.removeIf(member -> member.socket() == socket);
            socket.abort();
            throw e;
        }
    }

    private void onNoMoreSenders(IOException cause) {
        if (isClosed) {
            LOG.trace("{} accepts no more senders", this, cause);
            return;
        }
        failure = Optional.of(cause);
        if (cause instanceof ClosedChannelException) {
            LOG.debug("{} accepts no more senders: its stack is closed", this, cause);
        } else {
            Faults.warn(MessageReceiver.class, "accepts no more senders", this, cause);
        }
        // publish it before looking for a thread that waits
        VarHandle.fullFence();
        waiter.signal();
    }

    /** Fails if nothing will ever come: nobody is connected, and nobody can connect any more. */
    private void checkSenders() throws IOException {
        if (isDeserted()) {
            IOException cause = failure.get();
            throw new IOException("no senders are left: " + Faults.describe(cause), cause);
        }
    }

    private boolean isDeserted() {
        return failure.isPresent() && members.isEmpty();
    }

    /** A sender may have something. Inside the loop's turn. */
    void onReadable(CallList.Entry<Member> call) {
        if (calls.add(call)) {
            waiter.signal();
        }
    }

    private boolean isCalled() {
        return isClosed || !calls.isEmpty() || isDeserted();
    }

    /** {@return whether it was closed} */
    public boolean isClosed() {
        return isClosed;
    }

    /**
     * {@return the next message, waiting for one if necessary}
     *
     * @throws IOException if the receiver is closed, its device has failed and no sender is left,
     *     or the thread was interrupted
     */
    public Message receive() throws IOException {
        return receive(SocketWaiter.FOREVER);
    }

    /**
     * {@return the next message, or nothing if none came in time}
     *
     * @param timeout how long to wait
     * @throws IOException if the receiver is closed, its device has failed and no sender is left,
     *     or the thread was interrupted
     */
    public Optional<Message> receive(Duration timeout) throws IOException {
        try {
            return Optional.of(receive(SocketWaiter.deadline(timeout.toNanos())));
        } catch (SocketTimeoutException e) {
            LOG.trace("nothing within {}", timeout, e);
            return Optional.empty();
        }
    }

    private Message receive(long deadlineNs) throws IOException {
        receiving.lock();
        try {
            while (!tryDeliver(catcher)) {
                checkSenders();
                waiter.await(isCalled, deadlineNs);
            }
            return catcher.take();
        } finally {
            release();
        }
    }

    /**
     * {@return the next message, or nothing if there is none now}
     *
     * @throws IOException if the receiver is closed, or its device has failed and no sender is left
     */
    public Optional<Message> poll() throws IOException {
        receiving.lock();
        try {
            if (!tryDeliver(catcher)) {
                stack.loop().drive();
                if (!tryDeliver(catcher)) {
                    checkSenders();
                    return Optional.empty();
                }
            }
            return Optional.of(catcher.take());
        } finally {
            release();
        }
    }

    /**
     * Passes messages to a handler in place, without a copy; waits until there is one.
     *
     * @param handler called on this thread; it must not use this receiver
     * @param limit the most messages, at least 1
     * @param timeout how long to wait for the first
     * @return how many there were; 0 if none came in time
     * @throws IOException if the receiver is closed, its device has failed and no sender is left,
     *     or the thread was interrupted
     */
    public int poll(MessageHandler handler, int limit, Duration timeout) throws IOException {
        if (limit < 1) {
            throw new IllegalArgumentException("limit: " + limit + " (expected: at least 1)");
        }
        receiving.lock();
        try {
            int count = deliver(handler, limit);
            if (count == 0 && timeout.isZero()) {
                stack.loop().drive();
                count = deliver(handler, limit);
                if (count == 0) {
                    checkSenders();
                }
                return count;
            }
            long deadlineNs = SocketWaiter.deadline(timeout.toNanos());
            while (count == 0) {
                checkSenders();
                // a sender that calls may have nothing complete to deliver yet
                waiter.await(isCalled, deadlineNs);
                count = deliver(handler, limit);
            }
            return count;
        } catch (SocketTimeoutException e) {
            LOG.trace("nothing within {}", timeout, e);
            return 0;
        } finally {
            release();
        }
    }

    private int deliver(MessageHandler handler, int limit) throws IOException {
        int count = 0;
        while (count < limit && tryDeliver(handler)) {
            count++;
        }
        return count;
    }

    private void release() {
        try {
            lineup.leave();
        } finally {
            receiving.unlock();
        }
        endIfDue();
    }

    private boolean tryDeliver(MessageHandler handler) throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        calls.drain(lineUp);
        return lineup.deliver(handler);
    }

    private void onGone(Member member) {
        members.remove(member);
        try {
            start("verbena-queue-farewell", member::drop);
        } catch (RuntimeException | Error e) {
            Faults.warn(MessageReceiver.class, "no thread for a sender that has left", this, e);
            member.drop();
        }
    }

    /**
     * Accepts no more senders, tells the connected ones that this is the end, and drops what was
     * not received. If a handler keeps a message for longer than a second, this is done when it
     * returns, and not waited for.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        server.close();
        waiter.signal();
        if (tryLockInTime()) {
            try {
                end();
            } finally {
                receiving.unlock();
            }
        } else {
            LOG.warn("{} is closed while a handler has a message; its senders wait for it", this);
            startEnd();
        }
    }

    private void startEnd() {
        try {
            start("verbena-queue-close-" + localAddress().getPort(), this::endLater);
        } catch (RuntimeException | Error e) {
            Faults.warn(MessageReceiver.class, "no thread for its end", this, e);
            isEndDue.set(true);
            // the handler may have returned just before
            endIfDue();
        }
    }

    private void start(String name, Runnable task) {
        Thread thread = threads.newThread(task);
        thread.setName(name);
        thread.start();
    }

    /** Sets what makes the threads that end connections, and this, from now on. For tests. */
    void threads(ThreadFactory factory) {
        threads = factory;
    }

    private void endIfDue() {
        // again: it may become due just after a look, while this thread has the lock
        while (isEndDue.get() && !receiving.isHeldByCurrentThread() && receiving.tryLock()) {
            try {
                if (isEndDue.getAndSet(false)) {
                    end();
                }
            } finally {
                receiving.unlock();
            }
        }
    }

    /** {@return whether this thread has the lock now; if so, it must give it back} */
    private boolean tryLockInTime() {
        try {
            return receiving.tryLock(FAREWELL_NS, TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return receiving.tryLock();
        }
    }

    private void endLater() {
        receiving.lock();
        try {
            end();
        } finally {
            receiving.unlock();
        }
    }

    private void end() {
        List<Member> left = List.copyOf(members);
        sayGoodbye(left);
        left.forEach(member -> member.socket().endpoint().depart());
        left.forEach(Member::drop);
        members.clear();
    }

    /** Acknowledges what was received before the connections are cut, as far as time allows. */
    private void sayGoodbye(List<Member> left) {
        left.forEach(member -> member.socket().endpoint().close());
        long deadlineNs = SocketWaiter.deadline(FAREWELL_NS);
        for (Member member : left) {
            SocketEndpoint endpoint = member.socket().endpoint();
            try {
                endpoint.sender().await(endpoint::isOutputOver, deadlineNs);
            } catch (InterruptedIOException e) {
                LOG.debug("{} is cut: {}", member.socket(), e.toString());
            }
        }
    }

    @Override
    public String toString() {
        return "message receiver on " + localAddress();
    }
}
