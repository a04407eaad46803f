// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.completion.Faults;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.ClientView;
import io.verbena.rpc.spi.StreamEvents;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/** gRPC for one channel: a connection for each server, shared by all calls. */
final class GrpcClient implements ClientProtocol {
    private final ClientView channel;

    /** Those that take calls. */
    private final Map<InetSocketAddress, ClientLink> links = new ConcurrentHashMap<>();

    /** All that have not ended. */
    private final Set<ClientLink> open = ConcurrentHashMap.newKeySet();

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
            stream.start(() -> linkTo(request.server()));
            if (isClosed) {
                close();
            }
        } catch (TransportException e) {
            stream.over(e.error().code(), e.detail());
        } catch (Throwable e) {
            stream.over(RpcError.EINTERNAL.code(), Faults.describe("the call cannot begin", e));
        }
        return stream;
    }

    @Override
    public CompletableFuture<Void> connect(InetSocketAddress server) {
        try {
            ClientLink link = linkTo(server);
            link.turnBack();
            if (isClosed) {
                close();
            }
            return link.opening();
        } catch (TransportException e) {
            return CompletableFuture.failedFuture(new RpcException(e.code(), e.detail()));
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** {@return a connection that does not close before the call has begun on it} */
    private ClientLink linkTo(InetSocketAddress server) {
        ClientLink known = links.get(server);
        return known != null && known.tryEnter() ? known : newLink(server);
    }

    private ClientLink newLink(InetSocketAddress server) {
        ClientLink link;
        connecting.lock();
        try {
            ClientLink known = links.get(server);
            if (known != null && known.tryEnter()) {
                return known;
            }
            link = ClientLink.connect(this, server);
            open.add(link);
            links.put(server, link);
        } finally {
            connecting.unlock();
        }
        // both may have happened before it could be found
        if (link.hasEnded()) {
            onEnd(link);
        }
        if (!channel.isListed(server)) {
            link.leave();
        }
        return link;
    }

    /** A connection takes no more calls. */
    void forget(ClientLink link) {
        links.remove(link.server(), link);
    }

    /** A connection has ended. */
    void onEnd(ClientLink link) {
        forget(link);
        open.remove(link);
    }

    @Override
    public void onUnlisted(InetSocketAddress server) {
        ClientLink link = links.get(server);
        if (link != null) {
            link.leave();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        open.forEach(ClientLink::close);
    }
}
