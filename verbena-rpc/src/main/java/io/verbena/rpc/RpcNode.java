// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPool;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.Transport;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * What the servers and channels of a process share: the transport with its threads and memory, the
 * calls under way, connections, and flags. Any thread may call any method.
 *
 * <p>Close servers and channels first, then the node, then the transport, which stays the caller's.
 */
public final class RpcNode implements AutoCloseable {
    private static final long MAX_RETIREMENT_MS = 30_000;

    private final Transport transport;
    private final RpcFlags flags;
    private final Plugins plugins = new Plugins();
    private final CallEngine engine;
    private final SocketMap sockets;
    private final ScheduledExecutorService chores;

    private RpcNode(Transport transport, RpcFlags flags) {
        this.transport = transport;
        this.flags = flags;
        this.engine = new CallEngine(transport.pool(), flags);
        this.chores =
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("verbena-rpc-chores").factory());
        this.sockets =
                new SocketMap(transport, engine, new HealthCheck(transport, chores, flags), flags);
    }

    /**
     * {@return a node}
     *
     * @param transport what it uses; stays the caller's
     * @param flags its settings
     */
    public static RpcNode over(Transport transport, RpcFlags flags) {
        RpcNode node = new RpcNode(transport, flags);
        node.engine.start();
        return node;
    }

    /** {@return its transport} */
    public Transport transport() {
        return transport;
    }

    /** {@return its settings} */
    public RpcFlags flags() {
        return flags;
    }

    /** {@return where the memory of attachments comes from} */
    public BlockPool pool() {
        return transport.pool();
    }

    CallEngine engine() {
        return engine;
    }

    /** {@return where what has to be done now and then is done; shortly} */
    ScheduledExecutorService chores() {
        return chores;
    }

    Controller controller() {
        return new ClientController(transport.pool());
    }

    ServerSelector singleServer(String address, ChannelOptions options) {
        ServerNode server = new ServerNode(Addresses.parse(address), "");
        return new SingleServer(Target.of(server, options, sockets), sockets);
    }

    ServerSelector balancedServers(String url, String balancer, ChannelOptions options) {
        BalancedServers servers =
                new BalancedServers(
                        url, options, plugins.balancer(balancer), sockets, t -> retire(t, options));
        servers.watchedBy(plugins.watch(url, servers));
        if (servers.isEmpty() && !options.succeedWithoutServer()) {
            servers.close();
            throw new IllegalArgumentException(
                    "naming service: no server for "
                            + url
                            + " (expected: one, or succeed_without_server)");
        }
        return servers;
    }

    /** Lets calls to a server that is no longer named come to their end. */
    private void retire(Target target, ChannelOptions options) {
        long delayMs = Math.clamp(options.timeoutMs(), 0, MAX_RETIREMENT_MS);
        var _ =
                chores.schedule(
                        () -> target.release(sockets),
                        delayMs == 0 ? MAX_RETIREMENT_MS : delayMs,
                        TimeUnit.MILLISECONDS);
    }

    /** {@return how many calls of this process are under way} */
    public int callsUnderWay() {
        return engine.underWay();
    }

    /** Ends its threads. */
    @Override
    public void close() {
        chores.shutdownNow();
        try {
            engine.stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
