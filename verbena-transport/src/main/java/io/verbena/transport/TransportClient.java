// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.verbena.transport.handshake.Handshake;
import io.verbena.transport.handshake.Handshakes;
import io.verbena.transport.rdma.RdmaEndpoints;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Connects to servers. Any thread may call any method. */
public final class TransportClient {
    private final Transport transport;
    private final SocketMode mode;
    private final TransportFlags flags;
    private final Optional<ClientTls> tls;

    /**
     * A client with the transport's settings.
     *
     * @param transport what it uses
     * @param mode what its connections ask for
     */
    public TransportClient(Transport transport, SocketMode mode) {
        this(transport, mode, transport.flags());
    }

    /**
     * A client with settings of its own.
     *
     * @param transport what it uses
     * @param mode what its connections ask for
     * @param flags version of the handshake, time limits, and limits of the TCP side; flags that
     *     concern the device are taken from the transport
     */
    public TransportClient(Transport transport, SocketMode mode, TransportFlags flags) {
        this(transport, mode, flags, Optional.empty());
    }

    /**
     * A client with settings of its own that may speak TLS.
     *
     * @param transport what it uses
     * @param mode what its connections ask for; the handshake for RDMA runs inside TLS
     * @param flags version of the handshake, time limits, and limits of the TCP side; flags that
     *     concern the device are taken from the transport
     * @param tls what it trusts, and its certificate; empty means no TLS
     */
    public TransportClient(
            Transport transport, SocketMode mode, TransportFlags flags, Optional<ClientTls> tls) {
        this.transport = transport;
        this.mode = mode;
        this.flags = flags;
        this.tls = tls;
    }

    /**
     * {@return a connection, which connects and runs its handshake in the background} It can be
     * written to at once.
     *
     * @param address the server
     * @param handler called with the outcome
     */
    public Connection connect(InetSocketAddress address, ConnectionHandler handler) {
        EventLoop loop = transport.loops().next();
        TransportFlags now = transport.now(flags);
        SocketConnection connection =
                new SocketConnection(
                        transport,
                        now,
                        loop,
                        handler,
                        host -> strategy(host, address, now),
                        _ -> {},
                        Optional.empty());
        connection.expectPeer(address);
        new Bootstrap()
                .group(loop)
                .channel(NioSocketChannel.class)
                .option(
                        ChannelOption.CONNECT_TIMEOUT_MILLIS,
                        now.integer(TransportFlag.CONNECT_TIMEOUT_MS))
                .handler(new Initializer(connection, address))
                .connect(address)
                .addListener(
                        connected -> {
                            if (!connected.isSuccess()) {
                                connection.abort(
                                        SocketFailure.ofConnect(
                                                address,
                                                flags.number(TransportFlag.CONNECT_TIMEOUT_MS),
                                                connected.cause()));
                            }
                        });
        return connection;
    }

    /**
     * {@return the connection once its handshake is over; fails with a {@link TransportException}}
     *
     * @param address the server
     * @param handler receives the connection's events; its {@code onOpen} is called before the
     *     future completes
     */
    public CompletableFuture<Connection> open(
            InetSocketAddress address, ConnectionHandler handler) {
        OpenFuture opened = new OpenFuture(handler);
        connect(address, opened);
        return opened.future();
    }

    private Handshake strategy(Handshake.Host host, InetSocketAddress address, TransportFlags now) {
        if (mode == SocketMode.TCP) {
            return Handshakes.plainTcp(host);
        }
        RdmaEndpoints endpoints = transport.endpoints();
        return now.isOn(TransportFlag.RDMA_CLIENT_USE_RDMACM) && transport.hasDevice()
                ? Handshakes.cmClient(transport.cmEvents(), endpoints, address, now, host)
                : Handshakes.client(endpoints, now, host);
    }

    private final class Initializer extends ChannelInitializer<Channel> {
        private final SocketConnection connection;
        private final InetSocketAddress server;

        Initializer(SocketConnection connection, InetSocketAddress server) {
            this.connection = connection;
            this.server = server;
        }

        @Override
        protected void initChannel(Channel channel) {
            TcpOptions.apply(connection.flags(), channel);
            connection.attach(channel);
            // before its handler: what it knows of trust may be older than the handler's, never
            // newer
            SocketEvents events = new SocketEvents(connection, true, tls.map(ClientTls::peers));
            long limitMs = connection.flags().number(TransportFlag.TLS_HANDSHAKE_TIMEOUT_MS);
            tls.ifPresent(
                    given ->
                            channel.pipeline()
                                    .addLast(given.handler(channel.alloc(), server, limitMs)));
            channel.pipeline().addLast(events);
        }
    }
}
