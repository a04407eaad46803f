// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import com.google.protobuf.Descriptors.MethodDescriptor;
import io.verbena.rpc.Addresses;
import io.verbena.rpc.spi.ServerMethod;
import io.verbena.rpc.spi.ServerView;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The activity of the server and its methods: counts, and rates and latencies of the last seconds.
 */
final class StatusPage implements Page {
    private final MethodWindows windows;

    StatusPage(MethodWindows windows) {
        this.windows = windows;
    }

    @Override
    public String name() {
        return "status";
    }

    @Override
    public String description() {
        return "counts, rates and latencies of each method; ?format=json";
    }

    @Override
    public PageContent show(PageRequest request) {
        ServerView server = request.server();
        Document document = new Document("status").fields("server", server(server));
        for (ServerMethod method : server.methods()) {
            Map<String, Object> fields = new LinkedHashMap<>();
            fields.put("signature", signature(method.descriptor()));
            fields.putAll(MethodFigure.readAll(method.status(), windows.of(method)));
            document.fields(method.descriptor().getFullName(), fields);
        }
        return document;
    }

    private static Map<String, Object> server(ServerView server) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("version", VersionPage.version());
        fields.put("address", Addresses.text(server.address()));
        fields.put("socket_mode", server.socketMode());
        fields.put("uptime_s", Duration.between(server.startedAt(), Instant.now()).toSeconds());
        fields.put("stopping", server.isStopping());
        fields.put("concurrency", server.concurrency());
        fields.put("max_concurrency", server.maxConcurrency());
        fields.put("connection_count", server.connections().size());
        return fields;
    }

    private static String signature(MethodDescriptor method) {
        return "("
                + method.getInputType().getFullName()
                + ") returns ("
                + method.getOutputType().getFullName()
                + ")";
    }
}
