// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.EntryResolver;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.LimitedAnswer;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;

/**
 * A list from a web server: {@code http://host/path}, asked every few seconds. The body is what a
 * {@code file://} has: a server per line. brpc calls that {@code remotefile}.
 */
final class HttpNaming implements NamingService {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final int OK = 200;

    private final String scheme;
    private final HostLookup lookup;

    HttpNaming(String scheme, HostLookup lookup) {
        this.scheme = scheme;
        this.lookup = lookup;
    }

    @Override
    public String scheme() {
        return scheme;
    }

    @Override
    public Watch watch(String name, Listener listener) {
        URI uri = URI.create(scheme + "://" + name);
        if (uri.getHost() == null) {
            throw new IllegalArgumentException(uri + " (expected: " + scheme + "://host/path)");
        }
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        HttpClient client =
                HttpClient.newBuilder()
                        .connectTimeout(LIMIT)
                        .followRedirects(HttpClient.Redirect.NORMAL)
                        // lists arrive although every carrier computes
                        .executor(
                                Executors.newThreadPerTaskExecutor(
                                        Thread.ofPlatform()
                                                .daemon()
                                                .name("verbena-naming-http-", 0)
                                                .factory()))
                        .build();
        EntryResolver resolver = new EntryResolver(lookup);
        Watch polling =
                PollingWatch.start(
                        "http", INTERVAL, () -> fetch(client, request, resolver), listener);
        return () -> {
            polling.close();
            client.shutdownNow();
        };
    }

    private static List<ServerNode> fetch(
            HttpClient client, HttpRequest request, EntryResolver resolver)
            throws IOException, InterruptedException {
        HttpResponse<String> response =
                LimitedAnswer.await(
                        client.sendAsync(request, HttpResponse.BodyHandlers.ofString()), LIMIT);
        if (response.statusCode() != OK) {
            throw new IOException(request.uri() + " answers " + response.statusCode());
        }
        return resolver.resolve(Lines.parse(response.body().lines().toList()));
    }
}
