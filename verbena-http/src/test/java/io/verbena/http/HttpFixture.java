// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoService;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.Authenticator;
import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.ConnectionType;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.testing.NodePair;
import io.verbena.testing.Eventually;
import io.verbena.transport.ClientSslOptions;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlags;
import java.util.function.BooleanSupplier;

/** Servers and clients that speak HTTP; closing it fails if memory is missing. */
final class HttpFixture implements AutoCloseable {
    private final NodePair nodes;

    HttpFixture(SocketMode mode) {
        this(mode, NodePair.FLAGS);
    }

    HttpFixture(SocketMode mode, TransportFlags flags) {
        this.nodes = new NodePair(mode, flags);
    }

    Server server(ServerOptions options) {
        return server(new EchoResponder(), options);
    }

    Server server(EchoService service, ServerOptions options) {
        return server(service, options, 0);
    }

    Server server(EchoService service, ServerOptions options, int port) {
        return nodes.server(service, options, port);
    }

    RpcNode serverNode() {
        return nodes.serverNode();
    }

    RpcFlags serverFlags() {
        return nodes.serverNode().flags();
    }

    /** Makes calls by {@code baidu_std}, and waits until the server has counted them. */
    void call(Server server, int count) {
        Channel channel = channel(server);
        for (int i = 0; i < count; i++) {
            new EchoServiceClient(channel).echo(EchoRequest.newBuilder().setMessage("x").build());
        }
        Eventually.become(() -> server.concurrency() == 0, () -> "calls of the server");
    }

    Channel channel(Server server) {
        return channel(server.address().getPort(), ChannelOptions.DEFAULT);
    }

    /** {@return a channel with TLS} */
    Channel channel(Server server, ClientSslOptions ssl) {
        return channel(server.address().getPort(), ChannelOptions.DEFAULT.withSslOptions(ssl));
    }

    /** {@return a channel with TLS and credentials} */
    Channel channel(Server server, ClientSslOptions ssl, Authenticator auth) {
        return channel(
                server.address().getPort(),
                ChannelOptions.DEFAULT.withSslOptions(ssl).withAuth(auth));
    }

    /** {@return a channel with TLS that connects anew for each call} */
    Channel shortChannel(Server server, ClientSslOptions ssl) {
        return channel(
                server.address().getPort(),
                ChannelOptions.DEFAULT
                        .withSslOptions(ssl)
                        .withConnectionType(ConnectionType.SHORT));
    }

    /** {@return a channel with TLS to any port of this host} */
    Channel channel(int port, ClientSslOptions ssl) {
        return channel(port, ChannelOptions.DEFAULT.withSslOptions(ssl));
    }

    /** {@return a channel that speaks HTTP} */
    Channel httpChannel(Server server) {
        return httpChannel(server, ChannelOptions.DEFAULT);
    }

    Channel httpChannel(Server server, ChannelOptions options) {
        return httpChannel(server.address().getPort(), options);
    }

    Channel httpChannel(int port, ChannelOptions options) {
        return channel(port, options.withProtocol("http"));
    }

    /** {@return a channel that speaks HTTP to the servers of a registry, in turn} */
    Channel httpCluster(String url, ChannelOptions options) {
        return nodes.cluster(url, options.withProtocol("http"));
    }

    /** {@return the same, with other time limits} */
    Channel hastyCluster(String url, int timeoutMs, int connectTimeoutMs) {
        return nodes.hastyCluster(
                url, ChannelOptions.DEFAULT.withProtocol("http"), timeoutMs, connectTimeoutMs);
    }

    RpcFlags clientFlags() {
        return nodes.clientNode().flags();
    }

    private Channel channel(int port, ChannelOptions options) {
        return nodes.channel(port, options);
    }

    /** {@return what a channel shows its protocol, with a list that a test decides} */
    ClientView view(BooleanSupplier isListed) {
        return nodes.view(isListed);
    }

    @Override
    public void close() {
        nodes.close();
    }
}
