// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import com.google.gson.JsonElement;
import com.google.gson.JsonParser;
import io.verbena.rpc.spi.LimitedAnswer;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;

/**
 * HTTP with JSON to the members of a registry. Requests go to one member until one fails; the next
 * request then goes to the next member. Any thread.
 */
public final class RestClient implements AutoCloseable {
    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(2);

    /** How long an answer may take that does not wait for anything. */
    public static final Duration LIMIT = Duration.ofSeconds(3);

    /**
     * What was answered.
     *
     * @param status of HTTP
     * @param headers all of them
     * @param body as text
     */
    public record Reply(int status, HttpHeaders headers, String body) {
        /** How much of a body a message has, in characters. */
        private static final int SHOWN = 100;

        /**
         * {@return the body as JSON}
         *
         * @throws com.google.gson.JsonParseException if it is something else
         */
        public JsonElement json() {
            return JsonParser.parseString(body);
        }

        /**
         * {@return what the body says}
         *
         * @param <T> its type
         * @param reader finds it in the JSON; may throw anything if that is not as documented
         * @throws IOException if it threw, or the body is not JSON; says what the body begins with
         */
        public <T> T read(Function<JsonElement, T> reader) throws IOException {
            try {
                return reader.apply(json());
            } catch (RuntimeException e) {
                String beginning = body.length() > SHOWN ? body.substring(0, SHOWN) + "..." : body;
                throw new IOException("not understood: \"" + beginning + "\" (" + e + ")", e);
            }
        }
    }

    /** An answer with another status than 200. */
    public static final class StatusException extends IOException {
        private static final long serialVersionUID = 1;

        private final int status;

        StatusException(int status, String message) {
            super(message);
            this.status = status;
        }

        /** {@return the status of HTTP} */
        public int status() {
            return status;
        }
    }

    private final HttpClient http;
    private final String scheme;
    private final List<String> hosts;
    private final Map<String, String> headers;
    private final AtomicInteger current;

    /**
     * Opens no connection yet.
     *
     * @param hosts {@code host:port} of each member
     * @param headers added to each request
     * @param tls how to encrypt, if at all
     */
    public RestClient(List<String> hosts, Map<String, String> headers, Optional<SSLContext> tls) {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        .connectTimeout(CONNECT_LIMIT);
        tls.ifPresent(builder::sslContext);
        this.http = builder.build();
        this.scheme = tls.isPresent() ? "https://" : "http://";
        this.hosts = List.copyOf(hosts);
        this.headers = new ConcurrentHashMap<>(headers);
        this.current = new AtomicInteger(ThreadLocalRandom.current().nextInt(hosts.size()));
    }

    /**
     * Adds a header to each request from now on, or replaces it.
     *
     * @param name of the header
     * @param value of the header
     */
    public void setHeader(String name, String value) {
        headers.put(name, value);
    }

    /**
     * {@return the answer to a request}
     *
     * @param method such as GET
     * @param path and query, from the slash on
     * @param body of JSON; empty for none
     * @param limit how long it may take, to its last byte
     * @throws IOException if there was none, or its status is not 200
     * @throws InterruptedException if this thread was interrupted
     */
    public Reply send(String method, String path, String body, Duration limit)
            throws IOException, InterruptedException {
        int member = current.get();
        HttpRequest request = request(member, method, path, body).build();
        try {
            HttpResponse<String> response =
                    LimitedAnswer.await(http.sendAsync(request, BodyHandlers.ofString()), limit);
            if (response.statusCode() != 200) {
                // without the query, which may have a password in it
                throw new StatusException(
                        response.statusCode(),
                        method
                                + " "
                                + scheme
                                + hosts.get(member)
                                + request.uri().getRawPath()
                                + ": "
                                + response.statusCode()
                                + " "
                                + response.body().strip());
            }
            return new Reply(response.statusCode(), response.headers(), response.body());
        } catch (IOException e) {
            leave(member);
            throw e;
        }
    }

    /**
     * {@return an answer without end, line by line}
     *
     * @param path from the slash on
     * @param body what to post
     */
    public RestLines post(String path, String body) {
        int member = current.get();
        RestLines lines = new RestLines(() -> leave(member));
        lines.start(http.sendAsync(request(member, "POST", path, body).build(), lines.handler()));
        return lines;
    }

    private HttpRequest.Builder request(int member, String method, String path, String body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(scheme + hosts.get(member) + path))
                        .method(method, publisher(body));
        headers.forEach(request::header);
        return request;
    }

    private static BodyPublisher publisher(String body) {
        return body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body);
    }

    /** The next request goes to another member, unless another thread has seen to that. */
    private void leave(int member) {
        current.compareAndSet(member, (member + 1) % hosts.size());
    }

    /**
     * {@return a query: {@code key=value&key=value}, encoded}
     *
     * @param parameters those with an empty value are left out
     */
    public static String query(Map<String, String> parameters) {
        return parameters.entrySet().stream()
                .filter(each -> !each.getValue().isEmpty())
                .map(each -> each.getKey() + "=" + encoded(each.getValue()))
                .collect(Collectors.joining("&"));
    }

    /**
     * {@return text as a part of a path or query}
     *
     * @param text any text
     */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** {@return how many members there are} */
    public int members() {
        return hosts.size();
    }

    /** Ends requests that are under way, and closes all connections. */
    @Override
    public void close() {
        http.shutdownNow();
    }
}
