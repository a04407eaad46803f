// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.VerbsException;
import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens for connections.
 *
 * <p>A connection is handed out once its node id has arrived. Each is made on a thread of its own,
 * so a silent peer holds up nobody; as many as the backlog may be in progress or wait for {@link
 * #accept}. These are platform threads: connections begin even while all carriers compute.
 *
 * <p>Ownership: close it; sockets that were accepted stay open. Threads: any.
 */
public final class RdmaServerSocket implements Closeable {
    /** How many connections may wait by default: {@value}. */
    public static final int DEFAULT_BACKLOG = 128;

    /** What comes back at once must not keep a processor busy, nor fill the log at full speed. */
    private static final long PAUSE_NS = 100_000_000;

    private static final Logger LOG = LoggerFactory.getLogger(RdmaServerSocket.class);

    private final SocketStack stack;
    private final ConnectionListener listener;
    private final InetSocketAddress localAddress;
    private final Semaphore room;
    private final BlockingQueue<Optional<RdmaSocket>> accepted = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean isClosed;

    /** Why no more connections come, if that is so. */
    private volatile Optional<Throwable> failure = Optional.empty();

    private RdmaServerSocket(SocketStack stack, ConnectionListener listener, int backlog) {
        this.stack = stack;
        this.listener = listener;
        this.localAddress = listener.localAddress();
        this.room = new Semaphore(backlog);
        this.thread =
                Thread.ofPlatform()
                        .daemon()
                        .name("verbena-socket-listener-" + localAddress.getPort())
                        .unstarted(this::run);
    }

    /**
     * {@return a server that listens}
     *
     * @param stack what it and its connections use
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @throws java.net.BindException if the address cannot be bound
     * @throws IOException if the device refuses
     */
    public static RdmaServerSocket bind(SocketStack stack, InetSocketAddress local)
            throws IOException {
        return bind(stack, local, DEFAULT_BACKLOG);
    }

    /**
     * {@return a server that listens}
     *
     * @param stack what it and its connections use
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @param backlog how many connections may wait to be accepted, at least 1
     * @throws java.net.BindException if the address cannot be bound
     * @throws IOException if the device refuses
     */
    public static RdmaServerSocket bind(SocketStack stack, InetSocketAddress local, int backlog)
            throws IOException {
        return start(stack, stack.listener(local, backlog), backlog);
    }

    /** {@return a server that has started, with its listener} */
    static RdmaServerSocket start(SocketStack stack, ConnectionListener listener, int backlog) {
        RdmaServerSocket server = new RdmaServerSocket(stack, listener, backlog);
        stack.add(server);
        try {
            server.thread.start();
            return server;
        } catch (Throwable e) { // or the port would stay bound, and nobody would have it
            server.close();
            throw e;
        }
    }

    /** {@return the address it listens on, with the port it got} */
    public InetSocketAddress localAddress() {
        return localAddress;
    }

    private void run() {
        boolean goesOn = true;
        while (goesOn && !isClosed) {
            try {
                goesOn = tryTakeRequest();
            } catch (InterruptedException e) {
                LOG.trace("{} ends", localAddress, e);
                goesOn = false;
            } catch (Throwable e) { // without this thread, nobody could connect any more
                Faults.warn(RdmaServerSocket.class, "a connection was missed", localAddress, e);
                LockSupport.parkNanos(PAUSE_NS);
            }
        }
    }

    /** {@return whether there may be another one} */
    private boolean tryTakeRequest() throws InterruptedException {
        ConnectionRequest request;
        room.acquire();
        try {
            request = listener.awaitRequest();
        } catch (VerbsException | IllegalStateException e) { // the listener is broken, or closed
            room.release();
            fail(e);
            return false;
        } catch (Throwable e) { // what is thrown on the way says nothing about the listener
            room.release();
            throw e;
        }
        startWelcome(request);
        return true;
    }

    private void fail(Throwable cause) {
        if (isClosed) {
            return;
        }
        failure = Optional.of(cause);
        accepted.add(Optional.empty());
        Faults.warn(RdmaServerSocket.class, "accepts no more connections", localAddress, cause);
    }

    private void startWelcome(ConnectionRequest request) {
        try {
            Thread.ofPlatform()
                    .daemon()
                    .name("verbena-socket-accept")
                    .start(() -> welcome(request));
        } catch (Throwable e) {
            room.release();
            Faults.warn(RdmaServerSocket.class, "no thread for a connection", localAddress, e);
            request.close();
        }
    }

    private void welcome(ConnectionRequest request) {
        try {
            add(stack.accept(request));
        } catch (InterruptedException e) {
            room.release();
            Thread.currentThread().interrupt();
        } catch (Throwable e) { // a connection that cannot be made is nobody else's business
            room.release();
            LOG.info("a connection to {} could not be made: {}", localAddress, Faults.describe(e));
        }
    }

    /** Hands it out, or cuts it if the server was closed while it was being made. */
    void add(RdmaSocket socket) {
        try {
            accepted.add(Optional.of(socket));
        } catch (Throwable e) { // or the connection would stay open, and nobody would have it
            socket.abort();
            throw e;
        }
        if (isClosed) {
            dropAccepted();
        }
    }

    /**
     * {@return the next connection, waiting for one if necessary}
     *
     * @throws IOException if the server is closed, its device has failed, or the thread was
     *     interrupted
     */
    public RdmaSocket accept() throws IOException {
        return accept(Duration.ofNanos(Long.MAX_VALUE));
    }

    /**
     * {@return the next connection, waiting for a limited time}
     *
     * @param timeout how long to wait
     * @throws SocketTimeoutException if none came in time
     * @throws IOException if the server is closed, its device has failed, or the thread was
     *     interrupted
     */
    public RdmaSocket accept(Duration timeout) throws IOException {
        if (isClosed) {
            throw new ClosedChannelException();
        }
        return next(timeout);
    }

    /** {@return the next connection, for a thread that has found the server open} */
    RdmaSocket next(Duration timeout) throws IOException {
        Optional<RdmaSocket> socket;
        try {
            socket = accepted.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted in accept");
            failure.initCause(e);
            throw failure;
        }
        if (socket == null) {
            throw new SocketTimeoutException("no connection within " + timeout);
        }
        if (socket.isEmpty()) {
            throw wakeNext();
        }
        room.release();
        return socket.get();
    }

    private IOException wakeNext() {
        // any number of threads may wait
        accepted.add(Optional.empty());
        return failure.filter(_ -> !isClosed)
                .map(RdmaServerSocket::failed)
                .orElseGet(AsynchronousCloseException::new);
    }

    private static IOException failed(Throwable cause) {
        return new IOException("no more connections come: " + Faults.describe(cause), cause);
    }

    /** Stops listening; connections that nobody has accepted are cut. */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        stack.forget(this);
        thread.interrupt();
        listener.close();
        dropAccepted();
    }

    /** Cuts what nobody accepts any more, and then wakes those who wait for it. */
    private void dropAccepted() {
        Optional<RdmaSocket> socket = accepted.poll();
        while (socket != null) {
            socket.ifPresent(RdmaSocket::abort);
            socket = accepted.poll();
        }
        // also if close has done so: that may have been dropped here
        accepted.add(Optional.empty());
    }

    @Override
    public String toString() {
        return "RDMA server socket on " + localAddress;
    }
}
