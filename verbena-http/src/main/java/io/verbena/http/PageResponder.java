// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.PageRight;
import io.verbena.rpc.spi.ServerConnection;
import java.util.Optional;

/**
 * Answers requests for pages: checks who asks, and from where. Used by the connection's thread;
 * pages are built on virtual threads.
 */
final class PageResponder {
    /** The body of a change names a value. */
    private static final int MAX_FORM_BYTES = 4096;

    private final ServerConnection connection;
    private final Pages pages;
    private final RequestOrigin origins;
    private final BlockPool pool;

    PageResponder(ServerConnection connection, Pages pages, RequestOrigin origins) {
        this.connection = connection;
        this.pages = pages;
        this.origins = origins;
        this.pool = connection.server().pool();
    }

    /**
     * Answers a request.
     *
     * @param onFault called instead if the page fails, on the page's thread
     */
    void answer(Page page, HttpRequest request, HttpExchange exchange, OnFault onFault) {
        HttpHead head = request.head();
        String form;
        try (IOBuf body = request.body()) {
            Optional<HttpResponse> refusal = refusal(page, head, body.size());
            if (refusal.isPresent()) {
                connection.answerRefused(() -> exchange.answer(refusal.get()));
                return;
            }
            form = body.toText();
        }
        Thread.ofVirtual()
                .name("verbena-rpc-page")
                .start(() -> show(page, head, form, exchange, onFault));
    }

    private Optional<HttpResponse> refusal(Page page, HttpHead head, long bodyBytes) {
        if (!isOnThisPort(page)) {
            return refuse(
                    HttpStatus.FORBIDDEN,
                    "page: not on this port; see internal_port and has_builtin_services");
        }
        boolean isChange = head.method() == HttpMethod.POST;
        boolean isReading = head.method() == HttpMethod.GET || head.method() == HttpMethod.HEAD;
        if (!isReading && !(isChange && page instanceof ChangeablePage)) {
            return Optional.of(
                    HttpResponse.methodNotAllowed(
                            head.method(),
                            page instanceof ChangeablePage ? "GET, HEAD, POST" : "GET, HEAD",
                            pool));
        }
        if (bodyBytes > MAX_FORM_BYTES) {
            return refuse(
                    HttpStatus.CONTENT_TOO_LARGE, "body: more than " + MAX_FORM_BYTES + " bytes");
        }
        Optional<String> objection =
                isChange
                        ? origins.objectionToAction(head.headers())
                        : origins.objectionToReading(head.headers());
        if (objection.isPresent()) {
            return refuse(HttpStatus.FORBIDDEN, objection.get());
        }
        PageRight right = page.isPublic() ? PageRight.PROBE : PageRight.VIEW;
        return unauthorized(head, isChange ? PageRight.CHANGE : right);
    }

    /** A load balancer asks the port that it sends calls to, wherever the other pages are. */
    private boolean isOnThisPort(Page page) {
        return connection.hasPages() || page.isPublic() && connection.server().hasBuiltinServices();
    }

    private Optional<HttpResponse> unauthorized(HttpHead head, PageRight right) {
        return switch (connection.authorize(right, RequestRouter.credential(head))) {
            case ALLOWED -> Optional.empty();
            case UNAUTHENTICATED ->
                    Optional.of(
                            HttpResponse.text(
                                            HttpStatus.UNAUTHORIZED,
                                            "credentials: missing or wrong",
                                            pool)
                                    .with("WWW-Authenticate", "Basic realm=\"verbena\""));
            case FORBIDDEN -> refuse(HttpStatus.FORBIDDEN, "client: not an administrator");
            case OFF -> refuse(HttpStatus.FORBIDDEN, "changes: off (see PageAccess)");
        };
    }

    private Optional<HttpResponse> refuse(HttpStatus status, String text) {
        return Optional.of(HttpResponse.text(status, text, pool));
    }

    private void show(
            Page page, HttpHead head, String form, HttpExchange exchange, OnFault onFault) {
        HttpResponse response;
        try {
            response = pages.show(page, head, form, connection.transport().remoteAddress());
        } catch (Throwable e) {
            onFault.accept("the page failed", head, exchange, e);
            return;
        }
        exchange.answer(response);
    }

    /** What to do when a page fails. */
    interface OnFault {
        /** Logs the fault and answers that the request failed. */
        void accept(String what, HttpHead head, HttpExchange exchange, Throwable fault);
    }
}
