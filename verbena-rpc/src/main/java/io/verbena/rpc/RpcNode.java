// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.VirtualThreads;
import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientProtocolProvider;
import io.verbena.rpc.spi.ClusterStatus;
import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ProtocolProvider;
import io.verbena.transport.Connection;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlags;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * What the servers and channels of a process share: the transport with its threads and memory, the
 * calls under way, connections, and flags. Any thread may call any method.
 *
 * <p>Close servers and channels first, then the node. A node created by {@link #open()} also closes
 * its transport, device and memory; one created by {@link #over} leaves them to the caller.
 */
public final class RpcNode implements AutoCloseable {
    private final Transport transport;
    private final RpcFlags flags;
    private final Plugins plugins = new Plugins();
    private final ClientCertificates certificates = new ClientCertificates();
    private final CallEngine engine;
    private final RemoteServers remotes;
    private final StreamTimer streamTimer = new StreamTimer();
    private final ScheduledExecutorService chores;
    private final HostWatcher hosts;
    private final Set<BalancedServers> clusters = ConcurrentHashMap.newKeySet();
    private final String deviceName;
    private final Runnable closeOwned;

    private RpcNode(Transport transport, RpcFlags flags, String deviceName, Runnable closeOwned) {
        this.transport = transport;
        this.flags = flags;
        this.deviceName = deviceName;
        this.closeOwned = closeOwned;
        this.engine =
                new CallEngine(
                        transport.pool(),
                        flags,
                        new StreamContext(transport.pool(), flags, streamTimer));
        this.chores = new Chores();
        this.hosts = new HostWatcher(flags);
        this.remotes =
                new RemoteServers(
                        transport,
                        engine,
                        new HealthCheck(
                                transport, engine, this::controller, chores, flags, certificates),
                        flags,
                        certificates);
    }

    /**
     * {@return a node with a device, memory and threads of its own} Flags are taken from the system
     * properties. {@code rdma_device} chooses the device; without it, hardware is preferred to the
     * software device, and if there is neither, connections use TCP and a warning says so.
     *
     * @throws RuntimeException if the device that {@code rdma_device} names cannot be opened, or a
     *     flag has an invalid value or a name that is not one
     */
    public static RpcNode open() {
        return open(SocketMode.RDMA, System.getProperties());
    }

    /**
     * {@return a node with memory and threads of its own}
     *
     * @param mode what its connections may use; with {@link SocketMode#TCP} no device is opened,
     *     and with {@link SocketMode#RDMA} TCP is used if there is none
     * @param flags the flags of the transport, the memory pool and RPC, by name; other names are
     *     ignored unless they look like a misspelt flag
     * @throws RuntimeException if the device that {@code rdma_device} names cannot be opened, or a
     *     flag has an invalid value or a name that is not one
     */
    public static RpcNode open(SocketMode mode, Properties flags) {
        KnownFlags.check(flags);
        TransportFlags transportFlags = TransportFlags.of(flags);
        RpcFlags rpcFlags = RpcFlags.of(flags);
        BlockPoolOptions options = BlockPoolOptions.of(flags);
        Optional<RdmaDomain> opened =
                mode == SocketMode.RDMA
                        ? RdmaDomain.openIfAny(transportFlags, options)
                        : Optional.empty();
        if (opened.isEmpty()) {
            BlockPool pool = BlockPool.unregistered(options);
            Transport transport = Transport.overTcp(pool, transportFlags);
            return start(transport, rpcFlags, "", () -> close(transport, pool::close));
        }
        RdmaDomain domain = opened.get();
        Transport transport = Transport.over(domain, transportFlags);
        return start(
                transport, rpcFlags, domain.deviceName(), () -> close(transport, domain::close));
    }

    /**
     * {@return a node on an existing transport}
     *
     * @param transport the transport, which stays the caller's
     * @param flags the node's flags
     */
    public static RpcNode over(Transport transport, RpcFlags flags) {
        return start(transport, flags, "", () -> {});
    }

    private static RpcNode start(
            Transport transport, RpcFlags flags, String deviceName, Runnable closeOwned) {
        prepare();
        RpcNode node = new RpcNode(transport, flags, deviceName, closeOwned);
        node.engine.start();
        return node;
    }

    /**
     * The first call that fails may do so because there is no memory, and a class that the JVM
     * cannot initialize then can never be used again.
     */
    private static void prepare() {
        VirtualThreads.prepare();
        Optional<RpcError> _ = RpcError.of(0);
    }

    private static void close(Transport transport, Runnable memory) {
        transport.close();
        memory.run();
    }

    /** {@return the name of the device that it opened; empty if it opened none} */
    public String deviceName() {
        return deviceName;
    }

    /** {@return its transport} */
    public Transport transport() {
        return transport;
    }

    /** {@return its flags} */
    public RpcFlags flags() {
        return flags;
    }

    /** {@return the pool that provides the memory of attachments} */
    public BlockPool pool() {
        return transport.pool();
    }

    /** {@return the clusters that its channels call} */
    public List<ClusterStatus> clusters() {
        return clusters.stream().map(BalancedServers::status).toList();
    }

    /** {@return the open connections of its channels that speak baidu_std} */
    public List<Connection> connections() {
        return remotes.connections();
    }

    RemoteServers remotes() {
        return remotes;
    }

    /**
     * Reads the files of all channels' certificates again. New connections use what they say now;
     * the connections to servers whose certificates are not accepted any more are cut.
     *
     * @throws IllegalArgumentException if a file cannot be used
     */
    public void reloadCertificates() {
        certificates.reload();
    }

    CallEngine engine() {
        return engine;
    }

    StreamTimer streamTimer() {
        return streamTimer;
    }

    /** {@return what makes the calls of a channel, if it does not speak baidu_std} */
    Optional<ExchangeCalls> exchangeCalls(CallSettings settings) {
        ChannelOptions options = settings.options();
        if (options.protocol().equals(ChannelOptions.BAIDU_STD)) {
            return Optional.empty();
        }
        ClientProtocol protocol =
                clientProtocols()
                        .get(options.protocol())
                        .open(
                                new ChannelView(
                                        transport,
                                        options,
                                        settings.servers(),
                                        engine::maxBodyBytes,
                                        certificates.of(options.sslOptions())));
        return Optional.of(new ExchangeCalls(settings, protocol, streamTimer, engine.worker()));
    }

    /** {@return what starts the calls with streams of a channel over baidu_std} */
    ClientExchange.Starter baiduStreams(CallSettings settings) {
        return (exchange, request) -> {
            ClientController controller = exchange.controller();
            RpcMethod<?, ?> method = exchange.method();
            BaiduClientStream stream =
                    new BaiduClientStream(controller, exchange, pool(), request.isEmpty());
            engine.call(
                    settings,
                    method.names(),
                    controller,
                    request.orElse(method.requestPrototype()),
                    method.responsePrototype(),
                    stream);
            return stream;
        };
    }

    StreamContext streamContext() {
        return engine.streamContext();
    }

    /** {@return the client protocols by name, in addition to baidu_std} */
    Map<String, ClientProtocolProvider> clientProtocols() {
        return plugins.clientProtocols();
    }

    /** {@return the executor for short periodic chores} */
    ScheduledExecutorService chores() {
        return chores;
    }

    /** {@return the protocols its servers can speak} */
    List<ProtocolProvider> protocols() {
        return plugins.protocols();
    }

    /** {@return a name in a registry} */
    NamedServers naming(String url) {
        return plugins.naming(url);
    }

    ClientController controller() {
        return new ClientController(transport.pool(), streamTimer);
    }

    ServerSelector singleServer(String address, ChannelOptions options) {
        return new SingleServer(address, options, remotes, hosts, retirement(options));
    }

    ServerSelector balancedServers(String url, String balancer, ChannelOptions options) {
        return balancedServers(url, plugins.naming(url), balancer, options);
    }

    ServerSelector balancedServers(
            String url, NamedServers naming, String balancer, ChannelOptions options) {
        return balancedServers(url, naming, () -> plugins.balancer(balancer), options);
    }

    BalancedServers balancedServers(
            String url,
            NamedServers naming,
            Supplier<LoadBalancer> balancers,
            ChannelOptions options) {
        BalancedServers servers =
                new BalancedServers(
                        url, options, balancers, remotes, retirement(options), chores, clusters);
        servers.watch(naming);
        if (servers.isEmpty() && !options.succeedWithoutServer()) {
            servers.close();
            throw new IllegalArgumentException(
                    "naming service: no server for "
                            + url
                            + " (expected: one, or succeed_without_server)");
        }
        return servers;
    }

    private Retirement retirement(ChannelOptions options) {
        return new Retirement(remotes, chores, options.timeoutMs());
    }

    /** {@return how many calls of this process are under way} */
    public int callsUnderWay() {
        return engine.underWay();
    }

    /**
     * Ends its threads, and closes what it opened; waits at most {@link Server#CLOSE_LIMIT} for
     * that.
     */
    @Override
    public void close() {
        close(Server.CLOSE_LIMIT);
    }

    /**
     * Ends its threads, and closes what it opened. If that takes longer than the limit, because a
     * callback never returns, for example, logs where it hangs and leaves the rest to a thread of
     * its own.
     *
     * @param limit how long to wait
     */
    public void close(Duration limit) {
        BoundedClose.run("verbena-rpc-close", this::closeAll, limit);
    }

    private void closeAll() {
        chores.shutdownNow();
        streamTimer.stop();
        hosts.close();
        try {
            engine.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeOwned.run();
    }
}
