// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPoolException;
import io.verbena.memory.BlockType;
import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all sockets of a device share: the open device, registered memory, completion queues, the
 * event thread, and the thread that is notified when connections end.
 *
 * {@snippet :
 * try (SocketStack stack = SocketStack.open("soft0", SocketOptions.DEFAULT);
 *         RdmaServerSocket server = RdmaServerSocket.bind(stack, address);
 *         RdmaSocket socket = server.accept()) {
 *     socket.send(ByteBuffer.wrap(bytes));
 * }
 * }
 *
 * <p>Peers of one stack share its protection domain. What a peer may read is in regions of its own
 * connection; to reach another's it would have to guess a key, and each wrong guess costs it its
 * connection.
 *
 * <p>Ownership: close it after its sockets; those that are left are cut. Threads: any.
 */
public final class SocketStack implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SocketStack.class);
    private static final long MEMORY_PAUSE_NS = 500_000;

    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final SocketOptions options;
    private final MessageMemory memory;
    private final EventLoop loop;
    private final Farewells farewells;
    private final Departures departures = new Departures();
    private final EndpointMaker maker;
    private final Set<RdmaSocket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<RdmaServerSocket> servers = ConcurrentHashMap.newKeySet();

    /** Its sockets and itself: whoever leaves last closes the device. */
    private final AtomicInteger users = new AtomicInteger(1);

    private volatile boolean isClosed;

    private SocketStack(DeviceContext context, SocketOptions options) {
        this.context = context;
        this.options = options;
        this.domain = context.allocateProtectionDomain();
        this.memory = new MessageMemory(domain, options.pool());
        this.loop = new EventLoop(domain, options.spin());
        this.farewells =
                new Farewells(context.createEventChannel(), this::departAll, this::departLeaving);
        try {
            this.maker = new EndpointMaker(domain, loop, memory, farewells, departures, options);
            loop.start();
        } catch (Throwable e) { // or its thread would stay for ever, and this stack with it
            farewells.close();
            throw e;
        }
    }

    /**
     * {@return the sockets of a device}
     *
     * @param device a name from {@link Devices#list}, or nothing for {@link Devices#open()}
     * @param options their settings
     * @throws VerbsException if there is no such device
     */
    public static SocketStack open(String device, SocketOptions options) {
        DeviceContext context = device.isEmpty() ? Devices.open() : Devices.open(device);
        try {
            return new SocketStack(context, options);
        } catch (Throwable e) {
            context.close();
            throw e;
        }
    }

    /** {@return the settings} */
    public SocketOptions options() {
        return options;
    }

    /** {@return the name of the device} */
    public String deviceName() {
        return context.device().name();
    }

    /** {@return how many connections are open} */
    public int connections() {
        return sockets.size();
    }

    Set<RdmaSocket> sockets() {
        return sockets;
    }

    MessageMemory memory() {
        return memory;
    }

    EventLoop loop() {
        return loop;
    }

    /** {@return the threads that end connections} For tests. */
    Departures departures() {
        return departures;
    }

    /** {@return the protection domain of all connections} For tests. */
    ProtectionDomain domain() {
        return domain;
    }

    ConnectionListener listener(InetSocketAddress local, int backlog) throws IOException {
        checkOpen();
        try {
            return ConnectionListener.listen(context, local, backlog);
        } catch (VerbsException e) {
            throw e.errno() == Errno.EADDRINUSE || e.errno() == Errno.EADDRNOTAVAIL
                    ? bindFailure(e)
                    : new IOException(e.getMessage(), e);
        }
    }

    private static IOException bindFailure(VerbsException cause) {
        IOException failure = new java.net.BindException(cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    RdmaSocket connect(InetSocketAddress server, int nodeId) throws IOException {
        checkOpen();
        RdmaSocket socket = register(connectEndpoint(server), server);
        socket.nodeId(nodeId);
        ByteBuffer id =
                ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN).putInt(0, nodeId);
        try {
            socket.send(id, options.handshakeTimeout());
            return socket;
        } catch (Throwable e) { // or the connection would stay open, and nobody would have it
            socket.abort();
            throw e;
        }
    }

    private SocketEndpoint connectEndpoint(InetSocketAddress server) throws IOException {
        try {
            return maker.connect(context, server);
        } catch (VerbsException e) {
            throw connectFailure(e);
        } catch (BlockPoolException e) {
            throw new IOException("no memory for another connection: " + e.getMessage(), e);
        } catch (IllegalStateException e) {
            throw new IOException("the socket stack is closed", e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IOException connectFailure(VerbsException cause) {
        IOException failure =
                cause.errno() == Errno.ETIMEDOUT
                        ? new SocketTimeoutException(cause.getMessage())
                        : new ConnectException(cause.getMessage());
        failure.initCause(cause);
        return failure;
    }

    private static IOException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        IOException failure = new InterruptedIOException("interrupted while connecting");
        failure.initCause(cause);
        return failure;
    }

    /** {@return a requested connection, once its node id has arrived} */
    RdmaSocket accept(ConnectionRequest request) throws IOException, InterruptedException {
        checkOpen();
        RdmaSocket socket;
        try (request) {
            InetSocketAddress peer =
                    request.identifier().remoteAddress().orElseGet(() -> new InetSocketAddress(0));
            socket = register(maker.accept(request), peer);
        }
        try {
            ByteBuffer id = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.LITTLE_ENDIAN);
            int length = socket.receive(id, options.handshakeTimeout());
            if (length != Integer.BYTES) {
                throw new IOException("node id: " + length + " bytes (expected: 4)");
            }
            socket.nodeId(id.getInt(0));
            return socket;
        } catch (Throwable e) { // or the connection would stay open, and nobody would have it
            socket.abort();
            throw e;
        }
    }

    private RdmaSocket register(SocketEndpoint endpoint, InetSocketAddress peer)
            throws IOException {
        RdmaSocket socket = socket(endpoint, peer);
        try {
            // again: what ends all connections may not have seen this one
            checkOpen();
            return socket;
        } catch (IOException e) {
            socket.abort();
            throw e;
        }
    }

    private RdmaSocket socket(SocketEndpoint endpoint, InetSocketAddress peer) {
        users.incrementAndGet();
        try {
            RdmaSocket socket = new RdmaSocket(this, endpoint, peer);
            sockets.add(socket);
            return socket;
        } catch (Throwable e) { // or the connection would stay open, and nobody would have it
            EndpointMaker.drop(endpoint);
            leave();
            throw e;
        }
    }

    /** Gives back what a socket holds. Its user is gone, its connection has ended. */
    void forget(RdmaSocket socket) {
        if (sockets.remove(socket)) {
            try {
                socket.endpoint().release();
            } finally {
                leave();
            }
        }
    }

    /** One fewer uses the device: the last one closes it. */
    private void leave() {
        if (users.decrementAndGet() == 0) {
            memory.close();
            domain.close();
            context.close();
        }
    }

    void add(RdmaServerSocket server) {
        servers.add(server);
    }

    void forget(RdmaServerSocket server) {
        servers.remove(server);
    }

    Outbox newOutbox(boolean isNative) throws IOException {
        try {
            return new Outbox(memory.allocate(isNative ? BlockType.LARGE : BlockType.DEFAULT));
        } catch (BlockPoolException e) {
            throw new IOException("no memory to send from: " + e.getMessage(), e);
        }
    }

    /** {@return memory for a message; if there is none now, waits until there is} */
    Payload awaitMemory(SendingHalf sending, int length, long deadlineNs) throws IOException {
        while (true) {
            Optional<Payload> payload = sending.memory().tryAllocate(length);
            if (payload.isPresent()) {
                return payload.get();
            }
            sending.checkSendable();
            if (deadlineNs != SocketWaiter.FOREVER && deadlineNs - System.nanoTime() <= 0) {
                throw new SocketTimeoutException(
                        "no memory for " + length + " bytes in time: all waits for peers to read");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new InterruptedIOException("interrupted while waiting for memory");
            }
            LockSupport.parkNanos(MEMORY_PAUSE_NS);
        }
    }

    private void checkOpen() throws IOException {
        if (isClosed) {
            throw new IOException("the socket stack is closed");
        }
        Optional<Throwable> failure = farewells.failure();
        if (failure.isPresent()) {
            throw new IOException(
                    "ends of connections are not reported any more: "
                            + Faults.describe(failure.get()),
                    failure.get());
        }
    }

    private void departAll() {
        sockets.forEach(socket -> socket.endpoint().depart());
    }

    /** Tries again what could not be started, for want of a thread: ends, and telling of them. */
    private void departLeaving() {
        for (RdmaSocket socket : sockets) {
            SocketEndpoint endpoint = socket.endpoint();
            if (endpoint.isEnded()) {
                endpoint.callLoop();
            } else if (endpoint.isLeaving()) {
                endpoint.depart();
            }
        }
    }

    /** Cuts all connections. */
    void abortAll() {
        List<RdmaSocket> left = List.copyOf(sockets);
        left.forEach(RdmaSocket::startAbort);
        left.forEach(RdmaSocket::awaitEnd);
        // not earlier: the end of many connections takes its time
        long deadlineNs = SocketWaiter.deadline(RdmaSocket.KEPT_NS);
        left.forEach(socket -> socket.release(deadlineNs));
    }

    /**
     * Cuts the connections that are left, ends the threads, closes the device. If a handler or a
     * listener keeps a message for longer than a second, the device is closed when it returns, and
     * not waited for.
     */
    @Override
    public void close() {
        if (isClosed) {
            return;
        }
        isClosed = true;
        List.copyOf(servers).forEach(RdmaServerSocket::close);
        abortAll();
        farewells.close();
        loop.close();
        departures.close();
        if (!sockets.isEmpty()) {
            LOG.warn("{} is closed while handlers have messages; its memory stays for them", this);
        }
        leave();
    }

    @Override
    public String toString() {
        return "socket stack on " + deviceName();
    }
}
