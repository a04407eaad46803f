// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Service;
import io.verbena.rpc.http.HttpSite;
import io.verbena.rpc.server.MethodRegistry;
import io.verbena.rpc.server.Protocol;
import io.verbena.transport.Connection;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import io.verbena.transport.TransportServer;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs services; brpc's {@code Server}. One port for everything: RDMA and TCP, and all protocols.
 *
 * <p>Add services, start it, and close it, or stop and join it. A closed server is not started
 * again.
 *
 * <p>Threads: add and start by one thread; the rest by any.
 */
public final class Server implements AutoCloseable {
    private final RpcNode node;
    private final Map<Service, Map<String, String>> services = new LinkedHashMap<>();

    /** The one everybody knows, then the one for pages, if that has a port of its own. */
    private final List<TransportServer> listeners = new ArrayList<>();

    private ServerCore core;
    private HttpSite site;

    /**
     * A server that is not started.
     *
     * @param node what it uses
     */
    public Server(RpcNode node) {
        this.node = node;
    }

    /**
     * Adds a service.
     *
     * @param service what runs it
     * @return this
     */
    public Server add(Service service) {
        return add(service, Map.of());
    }

    /**
     * Adds a service.
     *
     * @param service what runs it
     * @param maxConcurrency by the name of a method, its limit: unlimited, a number, auto or
     *     timeout
     * @return this
     */
    public Server add(Service service, Map<String, String> maxConcurrency) {
        if (core != null) {
            throw new IllegalStateException(
                    "server: started (expected: services are added before)");
        }
        services.put(service, Map.copyOf(maxConcurrency));
        return this;
    }

    /**
     * Starts it on all addresses of this machine.
     *
     * @param port where it listens; 0 takes any free one
     * @param options its settings
     * @return this
     * @throws IllegalArgumentException if options exclude each other
     * @throws io.verbena.transport.TransportException if the port cannot be had
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
     * @throws IllegalArgumentException if options exclude each other
     * @throws io.verbena.transport.TransportException if the address cannot be had
     */
    public Server start(InetSocketAddress address, ServerOptions options) {
        options.check();
        MethodRegistry methods = new MethodRegistry(node.flags());
        services.forEach(
                (service, limits) -> methods.add(service, limits, options.methodMaxConcurrency()));
        ServerCore starting = new ServerCore(node, options, methods);
        site = HttpSite.open(starting, node.chores());
        try {
            listen(starting, address);
        } catch (RuntimeException e) {
            closeListeners();
            throw e;
        }
        core = starting;
        return this;
    }

    /** {@return what is spoken on the port everybody knows} */
    private List<Protocol> protocols(ServerOptions options) {
        boolean hasPages = options.hasBuiltinServices() && options.internalPort() < 0;
        List<String> enabled = options.enabledProtocolNames();
        return Stream.of(new BaiduProtocol(), site.protocol(true, hasPages))
                .filter(protocol -> enabled.isEmpty() || enabled.contains(protocol.name()))
                .toList();
    }

    private void listen(ServerCore starting, InetSocketAddress address) {
        ServerOptions options = starting.options();
        listeners.add(bind(starting, address, options.socketMode(), protocols(options)));
        if (options.internalPort() >= 0) {
            listeners.add(
                    bind(
                            starting,
                            new InetSocketAddress(address.getAddress(), options.internalPort()),
                            SocketMode.TCP,
                            List.of(site.protocol(false, options.hasBuiltinServices()))));
        }
        starting.listensOn(listeners);
    }

    private TransportServer bind(
            ServerCore starting,
            InetSocketAddress address,
            SocketMode mode,
            List<Protocol> protocols) {
        TransportFlags flags =
                node.transport()
                        .flags()
                        .with(TransportFlag.IDLE_TIMEOUT_SEC, starting.options().idleTimeoutSec());
        return TransportServer.bind(
                node.transport(),
                address,
                mode,
                flags,
                () -> new ServerSession(starting, protocols));
    }

    /** {@return where it listens, with the port it got} */
    public InetSocketAddress address() {
        return started().address();
    }

    /** {@return where its pages are, if they have a port of their own} */
    public Optional<InetSocketAddress> internalAddress() {
        return listeners.stream().skip(1).map(TransportServer::localAddress).findFirst();
    }

    /** {@return how many calls it is working on} */
    public int concurrency() {
        return started().concurrency();
    }

    /** {@return the connections of its clients now} */
    public Collection<Connection> connections() {
        return started().connections();
    }

    private ServerCore started() {
        if (core == null) {
            throw new IllegalStateException("server: not started (expected: call start first)");
        }
        return core;
    }

    /**
     * Takes no more calls and no more connections: calls on those there are get ELOGOFF, clients
     * that connect are refused. Calls that were taken go on. Returns at once.
     */
    public void stop() {
        started().gate().shut();
        listeners.forEach(TransportServer::stopAccepting);
    }

    /**
     * Waits until the server was stopped and all calls that were taken are answered, then closes
     * the connections.
     *
     * @throws InterruptedException if the thread is interrupted; calls go on
     */
    public void join() throws InterruptedException {
        started().gate().awaitDone();
        closeListeners();
    }

    /** Stops it and waits until all calls are answered; if interrupted, closes it at once. */
    @Override
    public void close() {
        if (core == null) {
            return;
        }
        stop();
        try {
            join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            closeListeners();
        }
    }

    private void closeListeners() {
        site.close();
        listeners.forEach(TransportServer::close);
    }
}
