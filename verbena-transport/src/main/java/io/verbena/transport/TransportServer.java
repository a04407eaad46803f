// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.verbena.completion.Faults;
import io.verbena.completion.RareLog;
import io.verbena.transport.handshake.Handshake;
import io.verbena.transport.handshake.Handshakes;
import io.verbena.transport.handshake.RdmaCmAcceptor;
import io.verbena.transport.rdma.DeviceFailure;
import java.net.InetSocketAddress;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts connections: RDMA and plain TCP on one port. A client whose first bytes are not a hello
 * gets plain TCP at once, and its bytes go to the user. Any thread may call any method.
 */
public final class TransportServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TransportServer.class);

    /** How long closing the port may take. */
    private static final long PORT_LIMIT_MS = 1000;

    private final Transport transport;
    private final SocketMode mode;
    private final TransportFlags flags;
    private final Supplier<? extends ConnectionHandler> handlers;
    private final Optional<ServerTls> tls;

    /** Without numbers as keys: removing one must take no memory. */
    private final Set<SocketConnection> connections = ConcurrentHashMap.newKeySet();

    private final Newcomers newcomers;
    private final AddressLimit addresses;
    private final AtomicLong refused = new AtomicLong();
    private final RareLog refusals = new RareLog(TransportServer.class);
    private final ReentrantLock lock = new ReentrantLock();

    /** Signaled when a connection has ended. */
    private final Condition ended = lock.newCondition();

    private volatile boolean isStopped;
    private volatile Listener listener;
    private volatile Optional<RdmaCmAcceptor> acceptor = Optional.empty();

    private TransportServer(
            Transport transport,
            SocketMode mode,
            TransportFlags flags,
            Supplier<? extends ConnectionHandler> handlers,
            Optional<ServerTls> tls) {
        this.transport = transport;
        this.mode = mode;
        this.flags = flags;
        this.handlers = handlers;
        this.tls = tls;
        this.newcomers = new Newcomers(flags);
        this.addresses = new AddressLimit(flags.integer(TransportFlag.MAX_CONNECTIONS_PER_ADDRESS));
    }

    /**
     * {@return a server with the transport's settings}
     *
     * @param transport what it uses
     * @param address where it listens; port 0 takes any free one
     * @param mode what it offers
     * @param handlers makes one for each connection
     * @throws TransportException if the address cannot be bound
     */
    public static TransportServer bind(
            Transport transport,
            InetSocketAddress address,
            SocketMode mode,
            Supplier<? extends ConnectionHandler> handlers) {
        return bind(transport, address, mode, transport.flags(), handlers);
    }

    /**
     * {@return a server with settings of its own}
     *
     * @param transport what it uses
     * @param address where it listens; port 0 takes any free one
     * @param mode what it offers
     * @param flags time limits, and limits of the TCP side; flags that concern the device are taken
     *     from the transport
     * @param handlers makes one for each connection
     * @throws TransportException if the address cannot be bound
     */
    public static TransportServer bind(
            Transport transport,
            InetSocketAddress address,
            SocketMode mode,
            TransportFlags flags,
            Supplier<? extends ConnectionHandler> handlers) {
        return bind(transport, address, mode, flags, handlers, Optional.empty());
    }

    /**
     * {@return a server with settings of its own that may speak TLS}
     *
     * @param transport what it uses
     * @param address where it listens; port 0 takes any free one
     * @param mode what it offers
     * @param flags time limits, and limits of the TCP side; flags that concern the device are taken
     *     from the transport
     * @param handlers makes one for each connection
     * @param tls its certificates; empty means no TLS
     * @throws TransportException if the address cannot be bound
     */
    public static TransportServer bind(
            Transport transport,
            InetSocketAddress address,
            SocketMode mode,
            TransportFlags flags,
            Supplier<? extends ConnectionHandler> handlers,
            Optional<ServerTls> tls) {
        TransportServer server = new TransportServer(transport, mode, flags, handlers, tls);
        server.listen(address);
        return server;
    }

    private void listen(InetSocketAddress address) {
        listener = Listener.bind(transport.loops(), new Initializer(), address);
        if (mode == SocketMode.RDMA
                && flags.isOn(TransportFlag.RDMA_SERVER_USE_RDMACM)
                && transport.hasDevice()) {
            listenWithConnectionManager();
        }
    }

    private void listenWithConnectionManager() {
        try {
            acceptor =
                    Optional.of(
                            new RdmaCmAcceptor(
                                    transport.cmEvents(), transport::nextId, localAddress()));
        } catch (RuntimeException e) {
            ChannelFuture _ = listener.close();
            throw DeviceFailure.of("listening with the connection manager", e);
        }
    }

    /** {@return where it listens, or did, with the port it got} */
    public InetSocketAddress localAddress() {
        return listener.address();
    }

    /** {@return the current connections, including those still in their handshake} */
    public Collection<Connection> connections() {
        return List.copyOf(connections);
    }

    /**
     * {@return how many connections were refused or cut because their peers proved nothing, or
     * because their address had too many}
     */
    public long droppedConnections() {
        return refused.get() + newcomers.dropped();
    }

    /**
     * {@return how many connections had to use TCP because too many peers that had proved nothing
     * had a queue pair}
     */
    public long refusedQueuePairs() {
        return newcomers.refusedQueuePairs();
    }

    /**
     * Reads the files of its certificates again, and cuts the connections of clients whose
     * certificates are not accepted any more. Does nothing without TLS.
     *
     * @throws IllegalArgumentException if a file cannot be used; then nothing has changed
     */
    public void reloadTls() {
        tls.ifPresent(ServerTls::reload);
    }

    /**
     * Refuses clients from now on, including those that are still connecting. Existing connections
     * go on, including those still in their handshake. Returns at once.
     */
    public void stopAccepting() {
        isStopped = true;
        ChannelFuture _ = listener.close();
    }

    /**
     * Stops accepting, then closes every connection and waits until they have ended, for at most
     * twice the time limit of a close. The port is free afterwards, unless a handler does not
     * return: the port and the connections of its thread are closed once it does. Handlers must not
     * call this: they run on the threads it waits for.
     */
    @Override
    public void close() {
        isStopped = true;
        if (listener.close().awaitUninterruptibly(PORT_LIMIT_MS)) {
            awaitPort();
        } else {
            LOG.warn(
                    "port {} is not closed after {} ms: a handler holds its thread",
                    localAddress().getPort(),
                    PORT_LIMIT_MS);
        }
        acceptor.ifPresent(RdmaCmAcceptor::close);
        connections.forEach(SocketConnection::close);
        long limitMs = flags.number(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS);
        TransportException late =
                new TransportException(TransportError.ECLOSE, "the server was closed");
        if (!awaitEmpty(limitMs)) {
            connections.forEach(connection -> connection.abort(late));
            awaitEmpty(limitMs);
        }
    }

    /**
     * Waits until the port is free for the next server: a selector gives up a closed socket in its
     * next round. Tasks may run one after the other within one round; a timer task that the loop
     * itself has scheduled runs in the next.
     */
    private void awaitPort() {
        CountDownLatch freed = new CountDownLatch(1);
        EventLoop loop = listener.channel().eventLoop();
        try {
            loop.execute(
                    () -> {
                        Future<?> _ = loop.schedule(freed::countDown, 1, TimeUnit.MILLISECONDS);
                    });
            boolean _ = freed.await(PORT_LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("port {}: the transport is closed", localAddress().getPort(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean awaitEmpty(long limitMs) {
        long nanos = TimeUnit.MILLISECONDS.toNanos(limitMs);
        lock.lock();
        try {
            while (!connections.isEmpty() && nanos > 0) {
                nanos = ended.awaitNanos(nanos);
            }
            return connections.isEmpty();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void onFinish(SocketConnection connection) {
        connections.remove(connection);
        try {
            addresses.leave(connection.remoteAddress().getAddress());
        } finally {
            signalEnd();
        }
    }

    private void signalEnd() {
        lock.lock();
        try {
            ended.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private Handshake strategy(Handshake.Host host, TransportFlags now) {
        return Handshakes.server(mode, transport.endpoints(), acceptor, now, host);
    }

    private final class Initializer extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            if (!(channel.remoteAddress() instanceof InetSocketAddress peer)) {
                // it is gone already
                ChannelFuture _ = channel.close();
            } else if (addresses.tryEnter(peer.getAddress())) {
                enter(channel, peer);
            } else {
                refused.incrementAndGet();
                refusals.warn("too many connections (see max_connections_per_address)", peer);
                ChannelFuture _ = channel.close();
            }
        }

        /**
         * Whatever is thrown, the address gets its count back, and the channel is closed. Netty
         * would log it first, and printing it may throw as well.
         */
        private void enter(Channel channel, InetSocketAddress peer) {
            SocketConnection connection;
            try {
                connection = connection(channel, peer);
            } catch (Throwable e) {
                addresses.leave(peer.getAddress());
                Faults.warn(TransportServer.class, "a connection cannot begin", peer, e);
                ChannelFuture _ = channel.close();
                return;
            }
            try {
                accept(connection, channel);
            } catch (Throwable e) {
                // nothing tells the connection about its channel yet
                connection.finish(SocketFailure.internal("the connection cannot begin", e));
                Faults.warn(TransportServer.class, "a connection cannot begin", peer, e);
            }
        }

        private SocketConnection connection(Channel channel, InetSocketAddress peer) {
            ConnectionHandler handler = handlers.get();
            TransportFlags now = transport.now(flags);
            SocketConnection connection =
                    new SocketConnection(
                            transport,
                            now,
                            channel.eventLoop(),
                            handler,
                            host -> strategy(host, now),
                            TransportServer.this::onFinish,
                            handler.admitsPeers() ? Optional.of(newcomers) : Optional.empty());
            connection.attach(channel);
            connection.expectPeer(peer);
            return connection;
        }

        private void accept(SocketConnection connection, Channel channel) {
            connections.add(connection);
            connection.enter();
            TcpOptions.apply(connection.flags(), channel);
            tls.ifPresent(given -> channel.pipeline().addLast(new TlsDoor(given, connection)));
            channel.pipeline()
                    .addLast(new SocketEvents(connection, false, tls.map(ServerTls::peers)));
            if (isStopped) {
                connection.close();
            }
        }
    }
}
