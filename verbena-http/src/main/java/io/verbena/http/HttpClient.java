// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Descriptors.ServiceDescriptor;
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
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * HTTP/1.1 for one channel. A connection carries one call at a time; those without a call are kept
 * for the next ones, the last one used first.
 */
final class HttpClient implements ClientProtocol {
    /** As many as brpc keeps. */
    private static final int MOST_IDLE = 100;

    private final ClientView channel;
    private final Map<InetSocketAddress, Deque<HttpClientLink>> idle = new ConcurrentHashMap<>();
    private final Set<HttpClientLink> links = ConcurrentHashMap.newKeySet();
    private final Map<ServiceDescriptor, MessageCodec> codecs = new ConcurrentHashMap<>();
    private volatile boolean isClosed;

    HttpClient(ClientView channel) {
        this.channel = channel;
    }

    ClientView channel() {
        return channel;
    }

    @Override
    public ClientStream start(ClientRequest request, StreamEvents events) {
        MessageCodec codec =
                codecs.computeIfAbsent(
                        request.method().getService(),
                        service -> new MessageCodec(List.of(service)));
        HttpClientCall call = new HttpClientCall(request, events, channel, codec);
        try {
            call.start(() -> linkTo(request.server()));
            if (isClosed) {
                close();
            }
        } catch (TransportException e) {
            call.over(e.error().code(), e.detail());
        } catch (RpcException e) {
            call.over(e.code(), e.text());
        } catch (Throwable e) {
            call.over(RpcError.EINTERNAL.code(), Faults.describe("the call cannot begin", e));
        }
        return call;
    }

    @Override
    public CompletableFuture<Void> connect(InetSocketAddress server) {
        try {
            HttpClientLink link = linkTo(server);
            if (isClosed) {
                close();
            }
            return link.opening().thenRun(() -> keep(link));
        } catch (TransportException e) {
            return CompletableFuture.failedFuture(new RpcException(e.code(), e.detail()));
        } catch (Throwable e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private HttpClientLink linkTo(InetSocketAddress server) {
        Deque<HttpClientLink> waiting = idle.get(server);
        HttpClientLink link = waiting == null ? null : waiting.pollFirst();
        while (link != null && !link.isUsable()) {
            link.close();
            link = waiting.pollFirst();
        }
        return link != null ? link : newLink(server);
    }

    private HttpClientLink newLink(InetSocketAddress server) {
        HttpClientLink link = HttpClientLink.connect(this, server);
        links.add(link);
        if (link.isClosed()) {
            links.remove(link);
        }
        if (!channel.isListed(server)) {
            link.leave();
        }
        return link;
    }

    /** A connection has no call any more, and can have another. */
    void keep(HttpClientLink link) {
        if (isClosed || !link.isUsable()) {
            link.close();
            return;
        }
        Deque<HttpClientLink> waiting =
                idle.computeIfAbsent(link.server(), _ -> new ConcurrentLinkedDeque<>());
        if (waiting.size() >= MOST_IDLE) {
            link.close();
            return;
        }
        waiting.addFirst(link);
        // whoever ended it or did away with the queue meanwhile may not have found it there
        boolean isFound = link.isUsable() && waiting.equals(idle.get(link.server()));
        if (!isFound && waiting.remove(link)) {
            link.close();
        }
    }

    /** A connection has ended. */
    void forget(HttpClientLink link) {
        links.remove(link);
        Deque<HttpClientLink> waiting = idle.get(link.server());
        if (waiting != null) {
            waiting.remove(link);
            // addresses may come and go for ever
            if (waiting.isEmpty() && idle.remove(link.server(), waiting)) {
                closeAll(waiting);
            }
        }
    }

    @Override
    public void onUnlisted(InetSocketAddress server) {
        for (HttpClientLink link : links) {
            if (link.server().equals(server)) {
                link.leave();
            }
        }
        Deque<HttpClientLink> waiting = idle.remove(server);
        if (waiting != null) {
            closeAll(waiting);
        }
    }

    private static void closeAll(Deque<HttpClientLink> waiting) {
        for (HttpClientLink link = waiting.pollFirst(); link != null; link = waiting.pollFirst()) {
            link.close();
        }
    }

    @Override
    public void close() {
        isClosed = true;
        links.forEach(HttpClientLink::close);
    }
}
