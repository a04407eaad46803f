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

    private HttpClientLink linkTo(InetSocketAddress server) {
        Deque<HttpClientLink> waiting = idle.get(server);
        HttpClientLink link = waiting == null ? null : waiting.pollFirst();
        while (link != null && !link.isUsable()) {
            link = waiting.pollFirst();
        }
        if (link == null) {
            link = HttpClientLink.connect(this, server);
            links.add(link);
            if (link.isClosed()) {
                links.remove(link);
            }
        }
        return link;
    }

    /** A connection has no call any more, and can have another. */
    void keep(HttpClientLink link) {
        Deque<HttpClientLink> waiting =
                idle.computeIfAbsent(link.server(), _ -> new ConcurrentLinkedDeque<>());
        if (isClosed || waiting.size() >= MOST_IDLE) {
            link.close();
            return;
        }
        waiting.addFirst(link);
        if (link.isClosed()) {
            waiting.remove(link);
        }
    }

    /** A connection has ended. */
    void forget(HttpClientLink link) {
        links.remove(link);
        Deque<HttpClientLink> waiting = idle.get(link.server());
        if (waiting != null) {
            waiting.remove(link);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        links.forEach(HttpClientLink::close);
    }
}
