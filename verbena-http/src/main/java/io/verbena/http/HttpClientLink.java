// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.IOBuf;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.RpcException;
import io.verbena.rpc.spi.ClientView;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.transport.TransportFlag;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A connection to a server, with one call at a time.
 *
 * <p>Threads: the connection's reads; any thread begins a call when there is none, or closes. A
 * call that is given up while the connection opens does not end it: how that ends says whether the
 * server can be reached, which takes as long as the connect timeout allows, not the call's.
 */
final class HttpClientLink implements ConnectionHandler {
    private final HttpClient owner;
    private final InetSocketAddress server;
    private final ResponseCutter cutter;

    /** The call whose response is next; null if none. */
    private final AtomicReference<HttpClientCall> current = new AtomicReference<>();

    /** Set when connecting returns, before the first call begins. */
    private volatile Connection connection;

    private volatile boolean wasOpen;
    private volatile boolean isClosing;

    /** Whether its only call was given up before it was open. */
    private volatile boolean isGivenUp;

    private final CompletableFuture<Void> opening = new CompletableFuture<>();
    private volatile boolean isClosed;

    private HttpClientLink(HttpClient owner, InetSocketAddress server) {
        ClientView channel = owner.channel();
        this.owner = owner;
        this.server = server;
        this.cutter =
                new ResponseCutter(
                        channel.transport().pool(), HttpLimits.DEFAULT, channel::maxBodyBytes);
    }

    /** {@return a connection, which may not be open yet; what is written waits for that} */
    static HttpClientLink connect(HttpClient owner, InetSocketAddress server) {
        ClientView channel = owner.channel();
        HttpClientLink made = new HttpClientLink(owner, server);
        made.connection =
                new TransportClient(
                                channel.transport(),
                                channel.socketMode(),
                                channel.transport()
                                        .flags()
                                        .with(
                                                TransportFlag.CONNECT_TIMEOUT_MS,
                                                channel.connectTimeoutMs()),
                                channel.tls())
                        .connect(server, made);
        return made;
    }

    InetSocketAddress server() {
        return server;
    }

    Connection connection() {
        return connection;
    }

    /** {@return completes when it is open, or cannot be opened} */
    CompletableFuture<Void> opening() {
        return opening;
    }

    /** {@return whether it can have another call} */
    boolean isUsable() {
        return !isClosing && !isClosed;
    }

    boolean isClosed() {
        return isClosed;
    }

    /**
     * Sends a call. Only if there is none.
     *
     * @param request is emptied
     * @throws TransportException if it cannot be sent
     */
    void begin(HttpClientCall call, IOBuf request) {
        current.set(call);
        connection.attend();
        try {
            connection.write(request);
        } catch (TransportException e) {
            // it refuses writes before it tells of its end, and the next try begins at once
            noteUnreachable(e);
            throw e;
        }
    }

    /** The next try goes elsewhere. */
    private void noteUnreachable(TransportException reason) {
        if (!wasOpen) {
            owner.channel().onUnreachable(server, reason);
        }
    }

    /** Nobody waits for a call any more. Its response cannot be told from the next one's. */
    void cancel(HttpClientCall call) {
        if (current.compareAndSet(call, null)) {
            isClosing = true;
            isGivenUp = true;
            // asked after that was published: the thread that opens it sees it, or is seen here
            if (wasOpen) {
                abort(connection);
            }
        }
    }

    private static void abort(Connection givenUp) {
        givenUp.abort(new TransportException(TransportError.ECLOSE, "a call was given up"));
    }

    /** The server is not listed any more: it gets no further call. */
    void leave() {
        isClosing = true;
    }

    /** Ends the connection; its call ends with ECLOSE. */
    void close() {
        isClosing = true;
        connection.abort(new TransportException(TransportError.ECLOSE, "the channel is closed"));
    }

    @Override
    public void onOpen(Connection opened) {
        wasOpen = true;
        if (isGivenUp) {
            abort(opened);
        }
        opening.complete(null);
    }

    @Override
    public void onData(Connection from, IOBuf received) {
        try {
            if (!cutter.next(received)) {
                return;
            }
        } catch (RefusedRequestException e) {
            received.clear();
            HttpClientCall call = current.getAndSet(null);
            if (call != null) {
                call.over(RpcError.ERESPONSE.code(), e.getMessage());
            }
            isClosing = true;
            from.abort(new TransportException(TransportError.EPROTO, e.getMessage()));
            return;
        }
        onAnswer(from, received);
    }

    private void onAnswer(Connection from, IOBuf received) {
        HttpAnswer answer = cutter.take();
        HttpClientCall call = current.getAndSet(null);
        boolean isKept = call != null && answer.head().isKeepAlive() && received.isEmpty();
        if (isKept) {
            owner.keep(this);
        } else {
            // closed by the server, or there are bytes that nobody has asked for
            isClosing = true;
            received.clear();
            from.close();
        }
        if (call == null) {
            answer.body().close();
        } else {
            call.onAnswer(answer);
        }
    }

    @Override
    public void onClose(Connection ended, TransportException reason) {
        isClosed = true;
        noteUnreachable(reason);
        owner.forget(this);
        HttpClientCall call = current.getAndSet(null);
        if (call != null && cutter.isCompletedByEnd() && reason.error() == TransportError.EEOF) {
            call.onAnswer(cutter.take());
        } else if (call != null) {
            call.over(reason.error().code(), reason.detail());
        }
        cutter.close();
        opening.completeExceptionally(new RpcException(reason.code(), reason.detail()));
    }
}
