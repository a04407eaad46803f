// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.testing;

import io.verbena.memory.BlockPool;
import io.verbena.memory.BlockPoolOptions;
import io.verbena.memory.LeakTracking;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClientView;
import io.verbena.testing.Eventually;
import io.verbena.transport.ClientTls;
import io.verbena.transport.RdmaDomain;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportFlag;
import io.verbena.transport.TransportFlags;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** A node for servers and one for clients; closing them fails if memory is missing. */
public final class NodePair implements AutoCloseable {
    /** Those of both nodes, if a test needs no others. */
    public static final TransportFlags FLAGS =
            TransportFlags.DEFAULT
                    .with(TransportFlag.SOCKET_CLOSE_TIMEOUT_MS, 2000)
                    .with(TransportFlag.RDMA_PREPARED_QP_CNT, 0);

    private static final BlockPoolOptions POOL =
            BlockPoolOptions.DEFAULT.withSizesMb(64, 64).withLeakTracking(LeakTracking.SIMPLE);

    private final SocketMode mode;
    private final TransportFlags flags;
    private final Deque<Runnable> opened = new ArrayDeque<>();
    private final RpcNode serverNode;
    private final RpcNode clientNode;

    /**
     * Opens both.
     *
     * @param mode what carries calls
     * @param flags of both nodes
     */
    public NodePair(SocketMode mode, TransportFlags flags) {
        this.mode = mode;
        this.flags = flags;
        this.serverNode = open("soft0");
        this.clientNode = open("soft1");
    }

    private RpcNode open(String device) {
        return switch (mode) {
            case TCP -> {
                BlockPool pool = BlockPool.unregistered(POOL);
                yield open(Transport.overTcp(pool, flags), pool, pool::close);
            }
            case RDMA -> {
                RdmaDomain domain =
                        RdmaDomain.open(flags.with(TransportFlag.RDMA_DEVICE, device), POOL);
                yield open(Transport.over(domain, flags), domain.pool(), domain::close);
            }
        };
    }

    private RpcNode open(Transport transport, BlockPool pool, Runnable closeMemory) {
        RpcNode node = RpcNode.over(transport, new RpcFlags());
        onClose(
                () -> {
                    Eventually.become(() -> node.callsUnderWay() == 0, () -> "calls under way");
                    node.close();
                    transport.close();
                    Eventually.become(
                            () -> pool.outstanding().isEmpty(),
                            () -> "blocks such as " + pool.outstanding().getFirst());
                    closeMemory.run();
                });
        return node;
    }

    /**
     * Has something done when this is closed, before what came earlier.
     *
     * @param closing what to do
     */
    public void onClose(Runnable closing) {
        opened.push(closing);
    }

    /** {@return the servers' node} */
    public RpcNode serverNode() {
        return serverNode;
    }

    /** {@return the clients' node} */
    public RpcNode clientNode() {
        return clientNode;
    }

    /**
     * {@return a server on this host}
     *
     * @param service what it serves
     * @param options the mode is set by this method
     * @param port where it listens; 0 for any
     */
    public Server server(RpcService service, ServerOptions options, int port) {
        Server server =
                new Server(serverNode)
                        .add(service)
                        .start(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                                options.withSocketMode(mode));
        onClose(server::close);
        return server;
    }

    /**
     * {@return a channel to a server of this host that waits long}
     *
     * @param port where the server listens
     * @param options time limits and the mode are set by this method
     */
    public Channel channel(int port, ChannelOptions options) {
        return closing(Channel.open(clientNode, "127.0.0.1:" + port, patient(options)));
    }

    /**
     * {@return a channel to the servers of a registry, in turn, that waits long}
     *
     * @param url the registry
     * @param options time limits and the mode are set by this method
     */
    public Channel cluster(String url, ChannelOptions options) {
        return closing(Channel.open(clientNode, url, "rr", patient(options)));
    }

    /**
     * {@return the same with other time limits}
     *
     * @param url the registry
     * @param options time limits and the mode are set by this method
     * @param timeoutMs of calls
     * @param connectTimeoutMs of connecting
     */
    public Channel hastyCluster(
            String url, ChannelOptions options, int timeoutMs, int connectTimeoutMs) {
        return closing(
                Channel.open(
                        clientNode,
                        url,
                        "rr",
                        options.withTimeoutMs(timeoutMs)
                                .withConnectTimeoutMs(connectTimeoutMs)
                                .withSocketMode(mode)));
    }

    private ChannelOptions patient(ChannelOptions options) {
        return options.withTimeoutMs(20_000).withConnectTimeoutMs(10_000).withSocketMode(mode);
    }

    private Channel closing(Channel channel) {
        onClose(channel::close);
        return channel;
    }

    /**
     * {@return what a channel shows its protocol, with a list that a test decides}
     *
     * @param isListed whether any server is on the list
     */
    public ClientView view(BooleanSupplier isListed) {
        return new ClientView() {
            @Override
            public Transport transport() {
                return clientNode.transport();
            }

            @Override
            public SocketMode socketMode() {
                return mode;
            }

            @Override
            public Optional<ClientTls> tls() {
                return Optional.empty();
            }

            @Override
            public int connectTimeoutMs() {
                return 10_000;
            }

            @Override
            public long maxBodyBytes() {
                return 1 << 20;
            }

            @Override
            public byte[] credential() {
                return new byte[0];
            }

            @Override
            public boolean isListed(InetSocketAddress server) {
                return isListed.getAsBoolean();
            }
        };
    }

    @Override
    public void close() {
        while (!opened.isEmpty()) {
            opened.pop().run();
        }
    }
}
