// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.Channel;
import io.verbena.rpc.ChannelOptions;
import io.verbena.rpc.RpcFlags;
import io.verbena.rpc.RpcService;
import io.verbena.rpc.Server;
import io.verbena.rpc.ServerOptions;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.testing.NodePair;
import io.verbena.transport.SocketMode;
import io.verbena.transport.TransportFlag;
import java.util.function.BooleanSupplier;

/** Servers and clients that speak gRPC; closing it fails if memory is missing. */
final class GrpcFixture implements AutoCloseable {
    private final NodePair nodes;

    GrpcFixture(SocketMode mode) {
        this(new NodePair(mode, NodePair.FLAGS));
    }

    private GrpcFixture(NodePair nodes) {
        this.nodes = nodes;
    }

    /** {@return a fixture that lets only so many bytes wait for a connection} */
    static GrpcFixture narrow(SocketMode mode, long maxUnwrittenBytes) {
        return new GrpcFixture(
                new NodePair(
                        mode,
                        NodePair.FLAGS.with(
                                TransportFlag.SOCKET_MAX_UNWRITTEN_BYTES, maxUnwrittenBytes)));
    }

    Server server(RpcService service, ServerOptions options) {
        return server(service, options, 0);
    }

    Server server(RpcService service, ServerOptions options, int port) {
        return nodes.server(service, options, port);
    }

    RpcFlags serverFlags() {
        return nodes.serverNode().flags();
    }

    RpcFlags clientFlags() {
        return nodes.clientNode().flags();
    }

    /** {@return a channel of grpc-java} */
    GrpcPeer peer(Server server) {
        GrpcPeer peer = new GrpcPeer(server.address().getPort());
        nodes.onClose(peer::close);
        return peer;
    }

    /** {@return a channel that speaks gRPC} */
    Channel channel(int port, ChannelOptions options) {
        return plainChannel(port, options.withProtocol("grpc"));
    }

    /** {@return a channel that speaks gRPC to the servers of a registry, in turn} */
    Channel cluster(String url, ChannelOptions options) {
        return nodes.cluster(url, options.withProtocol("grpc"));
    }

    /** {@return the same, with other time limits} */
    Channel hastyCluster(String url, int timeoutMs, int connectTimeoutMs) {
        return nodes.hastyCluster(
                url, ChannelOptions.DEFAULT.withProtocol("grpc"), timeoutMs, connectTimeoutMs);
    }

    Channel plainChannel(int port, ChannelOptions options) {
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
