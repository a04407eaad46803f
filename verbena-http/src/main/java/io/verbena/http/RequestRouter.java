// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.completion.Faults;
import io.verbena.memory.BlockPool;
import io.verbena.rpc.RpcError;
import io.verbena.rpc.spi.ServerConnection;
import io.verbena.rpc.spi.ServerView;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Finds out what a request is for: a method, a page, or nothing. Used by the connection's thread;
 * pages are built on virtual threads.
 */
final class RequestRouter {
    private final ServerConnection connection;
    private final ServerView server;
    private final HttpProtocol protocol;
    private final BlockPool pool;
    private final RequestOrigin origins;
    private final PageResponder pages;

    RequestRouter(ServerConnection connection, HttpProtocol protocol) {
        this.connection = connection;
        this.server = connection.server();
        this.protocol = protocol;
        this.pool = server.pool();
        this.origins =
                new RequestOrigin(
                        server.trustedOrigins(), connection.transport().tls().isPresent());
        this.pages = new PageResponder(connection, protocol.pages(), origins);
    }

    /** Never throws. */
    void route(HttpRequest request, HttpExchange exchange) {
        try {
            routeUnguarded(request, exchange);
        } catch (Throwable e) {
            // the authenticator is foreign code, and memory may run out
            request.body().close();
            fail("the request failed", request.head(), exchange, e);
        }
    }

    private void fail(String what, HttpHead head, HttpExchange exchange, Throwable fault) {
        Faults.warn(
                RequestRouter.class, what, head.target() + " of " + connection.transport(), fault);
        if (exchange.isAnswered()) {
            return;
        }
        HttpResponse failure;
        try {
            failure =
                    HttpResponse.failure(
                            RpcError.EINTERNAL.code(), Faults.describe(what, fault), pool);
        } catch (Throwable e) {
            Faults.warn(RequestRouter.class, "an answer is lost", connection, e);
            exchange.abandon();
            return;
        }
        exchange.answer(failure);
    }

    private void routeUnguarded(HttpRequest request, HttpExchange exchange) {
        String path = request.head().target().path();
        int slash = path.indexOf('/', 1);
        boolean isCall = slash > 1 && slash + 1 < path.length() && path.indexOf('/', slash + 1) < 0;
        String service = isCall ? path.substring(1, slash) : "";
        String method = isCall ? path.substring(slash + 1) : "";
        if (isCall && connection.hasCalls() && server.findMethod(service, method).isPresent()) {
            onCall(request, service, method, exchange);
            return;
        }
        Optional<Page> page = path.startsWith("/") ? protocol.pages().find(path) : Optional.empty();
        if (page.isPresent()) {
            pages.answer(page.get(), request, exchange, this::fail);
        } else if (isCall && connection.hasCalls() && request.head().method() == HttpMethod.POST) {
            // rejected like any other call, with the error for what is missing
            onCall(request, service, method, exchange);
        } else {
            request.body().close();
            exchange.answer(
                    HttpResponse.failure(
                            RpcError.ENOSERVICE.code(),
                            "path: neither a page nor /Service/Method; see /",
                            pool));
        }
    }

    private void onCall(HttpRequest request, String service, String method, HttpExchange exchange) {
        if (request.head().method() != HttpMethod.POST) {
            refuse(
                    request,
                    exchange,
                    HttpResponse.methodNotAllowed(request.head().method(), "POST", pool));
            return;
        }
        // each request, not only the first: a proxy may send those of several clients
        Optional<HttpResponse> refusal = objection(request.head());
        if (refusal.isPresent()) {
            request.body().close();
            connection.answerRefused(() -> exchange.answer(refusal.get()));
            return;
        }
        accept(request, service, method, exchange);
    }

    private Optional<HttpResponse> objection(HttpHead head) {
        Optional<HttpResponse> foreign = CallOrigin.refusal(origins, head, pool);
        if (foreign.isPresent()) {
            return foreign;
        }
        String refusal = connection.authenticate(credential(head));
        return refusal.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        HttpResponse.failure(
                                        RpcError.ERPCAUTH.code(),
                                        "Fail to authenticate: " + refusal,
                                        pool)
                                .with("WWW-Authenticate", "Bearer"));
    }

    /**
     * {@return the answer to a request that is refused before its body has arrived; empty if it is
     * not} Only calls have large bodies.
     */
    Optional<HttpResponse> refusal(HttpHead head) {
        try {
            return objection(head);
        } catch (Throwable e) {
            // the authenticator is foreign code
            String what = "the request failed";
            Faults.warn(RequestRouter.class, what, connection.transport(), e);
            return Optional.of(
                    HttpResponse.failure(
                            RpcError.EINTERNAL.code(), Faults.describe(what, e), pool));
        }
    }

    private static void refuse(HttpRequest request, HttpExchange exchange, HttpResponse answer) {
        request.body().close();
        exchange.answer(answer);
    }

    /** {@return what a client proves itself with; empty if nothing} */
    static byte[] credential(HttpHead head) {
        return head.headers()
                .first("authorization")
                .orElse("")
                .getBytes(StandardCharsets.ISO_8859_1);
    }

    private void accept(HttpRequest request, String service, String method, HttpExchange exchange) {
        connection.accept(
                new HttpCall(
                        request,
                        service,
                        method,
                        exchange,
                        protocol.codec(),
                        server.maxBodyBytes()));
    }
}
