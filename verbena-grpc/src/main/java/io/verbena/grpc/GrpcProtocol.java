// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerProtocol;
import io.verbena.rpc.spi.ServerView;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** gRPC for one server, on all its connections. */
final class GrpcProtocol implements ServerProtocol {
    private final Builtins builtins;
    private final CodecLimits limits;
    private final Set<Http2Link> links = ConcurrentHashMap.newKeySet();
    private volatile boolean isStopping;

    GrpcProtocol(ServerView server, CodecLimits limits) {
        this.builtins = new Builtins(server);
        this.limits = limits;
    }

    @Override
    public Parser parser(ServerConnection connection) {
        return new GrpcSession(connection, this);
    }

    /** {@return HTTP/2 on a connection that has begun with its preface} */
    Http2Link open(ServerConnection connection) {
        InboundStreams streams = new InboundStreams(connection, limits, builtins);
        Http2Link link =
                new Http2Link(
                        connection.transport(), connection.server().pool(), true, limits, streams);
        streams.attach(link);
        links.add(link);
        if (isStopping) {
            link.goAway();
        }
        return link;
    }

    /** A connection has ended. */
    void forget(Http2Link link) {
        links.remove(link);
    }

    /** Clients learn that they have to go elsewhere with their next calls. */
    @Override
    public void onStop() {
        isStopping = true;
        builtins.onStop();
        links.forEach(Http2Link::goAway);
    }
}
