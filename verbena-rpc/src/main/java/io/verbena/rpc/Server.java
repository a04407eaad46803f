// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.Connection;
import io.verbena.transport.ServerTls;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.TransportServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs services; brpc's {@code Server}. One port serves RDMA, TCP and all protocols: {@code
 * baidu_std}, and those whose modules are on the path, such as HTTP with {@code io.verbena.http}.
 *
 * <p>Add services, start it, then close it, or stop and join it. A closed server cannot be started
 * again.
 *
 * <p>Threads: one thread adds services and starts the server; any thread may call the other
 * methods.
 */
public final class Server implements AutoCloseable {
    /** How long {@link #close()} waits for calls that are not answered. */
    public static final Duration CLOSE_LIMIT = Duration.ofSeconds(30);

    /** How long registries and protocols may take to leave or to close. */
    private static final Duration PLUGIN_LIMIT = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(Server.class);

    private final RpcNode node;
    private final OfferedServices services = new OfferedServices();

    /** The public one, then the one for pages, if they have a port of their own. */
    private final List<TransportServer> listeners = new ArrayList<>();

    private final Announcements announcements = new Announcements();
    private ServerCore core;
    private ServerProtocols protocols;
    private Optional<Future<?>> watching = Optional.empty();

    /**
     * A server that is not started.
     *
     * @param node provides transport, memory and flags
     */
    public Server(RpcNode node) {
        this.node = node;
    }

    /**
     * Adds a service.
     *
     * @param service the implementation of a generated interface
     * @return this
     */
    public Server add(RpcService service) {
        return add(service, Map.of());
    }

    /**
     * Adds a service.
     *
     * @param service the implementation of a generated interface
     * @param maxConcurrency limits by method name: unlimited, a number, auto or timeout
     * @return this
     */
    public Server add(RpcService service, Map<String, String> maxConcurrency) {
        if (core != null) {
            throw new IllegalStateException(
                    "server: started (expected: add services before start)");
        }
        services.add(service.definition(), maxConcurrency);
        return this;
    }

    /**
     * Starts it on all addresses of this machine.
     *
     * @param port where it listens; 0 takes any free one
     * @param options its settings
     * @return this
     * @throws IllegalArgumentException if options contradict each other
     * @throws io.verbena.transport.TransportException if the port cannot be bound
     */
    public Server start(int port, ServerOptions options) {
        return start(new InetSocketAddress(port), options);
    }

    /**
     * Starts it.
     *
     * @param address where it listens; port 0 takes any free one
     * @param options its settings
     * @return this
     * @throws IllegalArgumentException if options contradict each other
     * @throws io.verbena.transport.TransportException if the address cannot be bound
     */
    public Server start(InetSocketAddress address, ServerOptions options) {
        List<ProtocolProvider> providers = node.protocols();
        options.check(providers);
        ServerCore starting =
                new ServerCore(
                        node,
                        options,
                        services.register(options.methodMaxConcurrency(), node.flags()));
        protocols = ServerProtocols.open(starting, options, providers);
        try {
            listen(starting, address);
        } catch (RuntimeException e) {
            closeListeners();
            throw e;
        }
        core = starting;
        watching = Optional.of(starting.everySecond(starting.requests()::sweep));
        return this;
    }

    private void listen(ServerCore starting, InetSocketAddress address) {
        ServerOptions options = starting.options();
        listeners.add(bind(starting, address, options.socketMode(), protocols.publicPort()));
        protocols
                .internalPort()
                .ifPresent(
                        port ->
                                listeners.add(
                                        bind(
                                                starting,
                                                new InetSocketAddress(
                                                        options.pageAccess()
                                                                .address()
                                                                .orElse(address.getAddress()),
                                                        options.internalPort()),
                                                SocketMode.TCP,
                                                port)));
        starting.listensOn(listeners);
    }

    private TransportServer bind(
            ServerCore starting, InetSocketAddress address, SocketMode mode, ServerPort port) {
        TransportFlags flags =
                node.transport()
                        .flags()
                        .with(TransportFlag.IDLE_TIMEOUT_SEC, starting.options().idleTimeoutSec());
        return TransportServer.bind(
                node.transport(),
                address,
                mode,
                flags,
                () -> new ServerSession(starting, port),
                starting.options()
                        .sslOptions()
                        .map(ssl -> ServerTls.load(ssl, AlpnNames.of(port))));
    }

    /**
     * Announces it in a registry, so that clients find it. It leaves the registry when it is
     * drained, stopped or closed. May block for a few seconds; if the registry cannot be reached,
     * it is announced when that can be.
     *
     * @param url a name in a registry, such as {@code file:///run/echo.list}
     * @param tag what clients learn along with the address, such as {@code zone=a w=10}; see {@link
     *     ServerNode}
     * @return this
     * @throws IllegalArgumentException if the registry is unknown, or cannot have such a name
     * @throws UnsupportedOperationException if servers cannot join that registry
     * @throws IllegalStateException if the server is being drained, stopped or closed; then no
     *     registry lists it
     */
    public Server announce(String url, String tag) {
        return announce(url, new ServerNode(ReachableAddress.of(address()), tag));
    }

    /**
     * Announces it in a registry under an address of the caller's choice: behind a port mapping,
     * clients know it by another one than it does itself.
     *
     * @param url a name in a registry
     * @param server address, tag and weight as clients shall see them
     * @return this
     * @throws IllegalArgumentException if the registry is unknown, or cannot have such a name
     * @throws UnsupportedOperationException if servers cannot join that registry
     * @throws IllegalStateException if the server is being drained, stopped or closed; then no
     *     registry lists it
     */
    public Server announce(String url, ServerNode server) {
        return announce(node.naming(url), server);
    }

    Server announce(NamedServers registry, ServerNode server) {
        ServerCore _ = started();
        announcements.add(registry, server);
        return this;
    }

    /** {@return whether it was announced, and all registries list it, as far as is known} */
    public boolean isListed() {
        return announcements.areListed();
    }

    /**
     * Closes it so that no client notices: leaves the registries, serves for a while longer those
     * who have not heard of it yet, then stops and waits until all calls are answered.
     *
     * @param notice how long it serves after it left; longer than clients take to learn it
     * @param limit how long to wait for calls after that
     * @throws InterruptedException if the thread is interrupted; the server then still runs
     */
    public void drain(Duration notice, Duration limit) throws InterruptedException {
        ServerCore _ = started();
        if (leave()) {
            try {
                TimeUnit.NANOSECONDS.sleep(notice.toNanos());
            } catch (InterruptedException e) {
                announcements.reopen();
                throw e;
            }
        }
        close(limit);
    }

    /** {@return whether it was announced} A registry that does not answer is left alone. */
    private boolean leave() {
        if (!announcements.shut()) {
            return false;
        }
        BoundedClose.run("verbena-rpc-leave", announcements::leave, PLUGIN_LIMIT);
        return true;
    }

    /** {@return the address it listens on, with the actual port} */
    public InetSocketAddress address() {
        return started().address();
    }

    /** {@return the address of its pages, if they have a port of their own} */
    public Optional<InetSocketAddress> internalAddress() {
        return listeners.stream().skip(1).map(TransportServer::localAddress).findFirst();
    }

    /**
     * Reads the files of its certificates again, without a restart. New connections use what they
     * say now; clients whose certificates are not accepted any more are cut off.
     *
     * @throws IllegalArgumentException if a file cannot be used; then nothing has changed
     */
    public void reloadCertificates() {
        listeners.forEach(TransportServer::reloadTls);
    }

    /** {@return how many calls it is working on} */
    public int concurrency() {
        return started().concurrency();
    }

    /** {@return the current connections of its clients} */
    public Collection<Connection> connections() {
        return started().connections();
    }

    /** {@return what runs its calls} For tests. */
    ServerCore core() {
        return started();
    }

    private ServerCore started() {
        if (core == null) {
            throw new IllegalStateException("server: not started (expected: call start first)");
        }
        return core;
    }

    /**
     * Stops accepting calls and connections: new calls on existing connections get ELOGOFF, and new
     * connections are refused. Calls under way continue. Returns at once, unless it has to leave a
     * registry first; one that hangs gets a few seconds.
     */
    public void stop() {
        ServerCore _ = started();
        stopServing();
    }

    /** Leaves the registries first, so that clients go elsewhere; refuses calls in any case. */
    private void stopServing() {
        try {
            boolean _ = leave();
        } finally {
            shut();
        }
        BoundedClose.run("verbena-rpc-stop", protocols::stop, PLUGIN_LIMIT);
    }

    private void shut() {
        started().gate().shut();
        listeners.forEach(TransportServer::stopAccepting);
    }

    /**
     * Waits until the server is stopped and all accepted calls are answered, then closes the
     * connections.
     *
     * @throws InterruptedException if the thread is interrupted; calls continue
     */
    public void join() throws InterruptedException {
        started().gate().awaitDone();
        closeListeners();
    }

    /**
     * Waits, for a limited time, until the server is stopped and all accepted calls are answered,
     * then closes the connections.
     *
     * @param limit how long to wait; if that is too short, calls continue and nothing is closed
     * @return whether all calls were answered
     * @throws InterruptedException if the thread is interrupted; calls continue
     */
    public boolean join(Duration limit) throws InterruptedException {
        if (!started().gate().awaitDone(limit)) {
            return false;
        }
        closeListeners();
        return true;
    }

    /**
     * Stops it and waits until all calls are answered, at most {@link #CLOSE_LIMIT}; if
     * interrupted, closes it at once.
     */
    @Override
    public void close() {
        close(CLOSE_LIMIT);
    }

    /**
     * Stops it and waits, for a limited time, until all calls are answered; if interrupted, closes
     * it at once. Calls that are still open then are lost with their connections: their clients
     * learn that at once, and what their services answer later goes nowhere. A registry or a
     * protocol that hangs, or a service that holds the thread of its connection, gets a few seconds
     * more; then the log says where it hangs, and what it holds is closed once it goes on.
     *
     * @param limit how long to wait for calls
     */
    public void close(Duration limit) {
        if (core == null) {
            return;
        }
        try {
            stopServing();
            awaitCalls(limit);
        } finally {
            closeListeners();
        }
    }

    private void awaitCalls(Duration limit) {
        try {
            if (!core.gate().awaitDone(limit)) {
                LOG.warn(
                        "closing with {} calls open after {} ms",
                        core.concurrency(),
                        limit.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void closeListeners() {
        watching.ifPresent(chore -> chore.cancel(false));
        try {
            BoundedClose.run("verbena-rpc-stop", protocols::close, PLUGIN_LIMIT);
        } finally {
            listeners.forEach(TransportServer::close);
        }
    }
}
