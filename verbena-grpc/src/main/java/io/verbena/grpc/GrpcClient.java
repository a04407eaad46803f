// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** gRPC for one channel: a connection for each server, shared by all calls. */
final class GrpcClient implements ClientProtocol {
    private final ClientView channel;
    private final Map<InetSocketAddress, ClientLink> links = new ConcurrentHashMap<>();
    private final ReentrantLock connecting = new ReentrantLock();
    private volatile boolean isClosed;

    GrpcClient(ClientView channel) {
        this.channel = channel;
    }

    ClientView channel() {
        return channel;
    }

    @Override
    public ClientStream start(ClientRequest request, StreamEvents events) {
        GrpcClientStream stream = new GrpcClientStream(request, events, channel);
        try {
            ClientLink link = linkTo(request.server());
            stream.start(link);
            if (isClosed) {
                link.close();
            }
        } catch (TransportException e) {
            stream.over(e.error().code(), e.detail());
        } catch (Throwable e) {
            stream.over(RpcError.EINTERNAL.code(), Faults.describe("the call cannot begin", e));
        }
        return stream;
    }

    private ClientLink linkTo(InetSocketAddress server) {
        ClientLink known = links.get(server);
        if (known != null && known.isUsable()) {
            return known;
        }
        connecting.lock();
        try {
            known = links.get(server);
            if (known == null || !known.isUsable()) {
                known = ClientLink.connect(this, server);
                links.put(server, known);
            }
            return known;
        } finally {
            connecting.unlock();
        }
    }

    /** A connection takes no more calls. */
    void forget(ClientLink link) {
        links.remove(link.server(), link);
    }

    @Override
    public void close() {
        isClosed = true;
        links.values().forEach(ClientLink::close);
    }
}
