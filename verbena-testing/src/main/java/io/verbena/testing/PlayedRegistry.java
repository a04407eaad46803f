// SPDX-License-Identifier: Apache-2.0
package io.verbena.testing;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/** A registry that a test plays: answers HTTP requests as the test says, and keeps them. */
public final class PlayedRegistry implements AutoCloseable {
    /**
     * A request.
     *
     * @param line method and path with its query, decoded
     * @param headers by name
     * @param body as text
     */
    public record Request(String line, Map<String, List<String>> headers, String body) {}

    /**
     * An answer.
     *
     * @param status of HTTP
     * @param headers added to it
     * @param body as text
     * @param missing how many bytes more it announces, which never come: the connection stays open
     */
    public record Answer(int status, Map<String, String> headers, String body, int missing) {
        /**
         * A whole answer.
         *
         * @param status of HTTP
         * @param headers added to it
         * @param body as text
         */
        public Answer(int status, Map<String, String> headers, String body) {
            this(status, headers, body, 0);
        }

        /**
         * {@return an answer with status 200}
         *
         * @param body as text
         */
        public static Answer ok(String body) {
            return new Answer(200, Map.of(), body);
        }

        /**
         * {@return an answer with status 200 that stalls}
         *
         * @param beginning all there is of its body
         */
        public static Answer stalled(String beginning) {
            return new Answer(200, Map.of(), beginning, 100);
        }
    }

    /** Decides what is answered. */
    @FunctionalInterface
    public interface Script {
        /**
         * {@return the answer} May block.
         *
         * @param request what was asked
         * @throws Exception if the connection shall be closed without an answer
         */
        Answer answer(Request request) throws Exception;
    }

    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final ExecutorService threads =
            Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("registry-", 0).factory());
    private final HttpServer server;

    /**
     * Starts it on a free port of the loopback address.
     *
     * @param script decides what is answered
     */
    public PlayedRegistry(Script script) {
        this(script, Optional.empty());
    }

    /**
     * Starts it on a free port of the loopback address.
     *
     * @param script decides what is answered
     * @param tls has its certificate, if it encrypts
     */
    public PlayedRegistry(Script script, Optional<SSLContext> tls) {
        this(0, script, tls);
    }

    /**
     * Starts it on the loopback address.
     *
     * @param port where it listens; 0 for a free one
     * @param script decides what is answered
     * @param tls has its certificate, if it encrypts
     */
    public PlayedRegistry(int port, Script script, Optional<SSLContext> tls) {
        try {
            server = create(tls, new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", exchange -> answer(exchange, script));
        server.start();
    }

    private static HttpServer create(Optional<SSLContext> tls, InetSocketAddress address)
            throws IOException {
        if (tls.isEmpty()) {
            return HttpServer.create(address, 0);
        }
        HttpsServer encrypted = HttpsServer.create(address, 0);
        encrypted.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
        return encrypted;
    }

    private void answer(HttpExchange exchange, Script script) throws IOException {
        try (exchange) {
            Request request =
                    new Request(
                            exchange.getRequestMethod() + " " + decoded(exchange),
                            exchange.getRequestHeaders(),
                            new String(
                                    exchange.getRequestBody().readAllBytes(),
                                    StandardCharsets.UTF_8));
            requests.add(request);
            Answer answer = script.answer(request);
            answer.headers.forEach(exchange.getResponseHeaders()::set);
            byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
            // -1 means: no body, and 0: one of unknown length
            int length = body.length + answer.missing;
            exchange.sendResponseHeaders(answer.status, length == 0 ? -1 : length);
            if (length > 0) {
                exchange.getResponseBody().write(body);
            }
            if (answer.missing > 0) {
                exchange.getResponseBody().flush();
                // until the registry is closed
                new CountDownLatch(1).await();
            }
        } catch (Exception e) {
            throw new IOException(e);
        }
    }

    private static String decoded(HttpExchange exchange) {
        String query = exchange.getRequestURI().getQuery();
        return exchange.getRequestURI().getPath() + (query == null ? "" : "?" + query);
    }

    /** {@return {@code host:port}} */
    public String address() {
        return "127.0.0.1:" + server.getAddress().getPort();
    }

    /** {@return all requests so far} */
    public List<Request> requests() {
        return requests;
    }

    /** {@return the first line of all requests so far} */
    public List<String> lines() {
        return requests.stream().map(Request::line).toList();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
