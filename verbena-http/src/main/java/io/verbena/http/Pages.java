// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPool;
import io.verbena.memory.IOBuf;
import io.verbena.rpc.spi.ServerView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds and shows the pages of a server. Any thread. */
final class Pages {
    private final ServerView server;
    private final Map<String, Page> pages = new LinkedHashMap<>();

    Pages(ServerView server, MethodWindows windows) {
        this.server = server;
        Variables variables = new Variables(windows);
        List<Page> all =
                new ArrayList<>(
                        List.of(
                                new HealthPage(),
                                new VersionPage(),
                                new StatusPage(windows),
                                new VarsPage(variables),
                                new FlagsPage(),
                                new ConnectionsPage(),
                                new SocketsPage(),
                                new ClustersPage(),
                                new ProtobufsPage(),
                                new MetricsPage(variables)));
        all.add(new IndexPage(all));
        all.forEach(page -> pages.put(page.name(), page));
        pages.put("", pages.get("index"));
        // where Prometheus looks by default; brpc has both
        pages.put("metrics", pages.get("brpc_metrics"));
    }

    /** {@return the page of a path} */
    Optional<Page> find(String path) {
        int end = path.indexOf('/', 1);
        return Optional.ofNullable(pages.get(path.substring(1, end < 0 ? path.length() : end)));
    }

    /** {@return the answer to a request for a page} */
    HttpResponse show(Page page, HttpHead head) {
        BlockPool pool = server.pool();
        String path = head.target().path();
        int end = path.indexOf('/', 1);
        String below = end < 0 ? "" : path.substring(end + 1);
        try {
            return switch (page.show(new PageRequest(server, below, head.target()))) {
                case Document document -> form(document, head, pool);
                case RawContent raw -> ok(raw.contentType(), pool.buffer().append(raw.bytes()));
            };
        } catch (RefusedRequestException e) {
            return HttpResponse.text(e.status(), e.getMessage(), pool);
        }
    }

    private static HttpResponse form(Document document, HttpHead head, BlockPool pool) {
        DocumentForm form = DocumentForm.wantedBy(head);
        return ok(form.contentType(), pool.buffer().append(form.render(document)));
    }

    private static HttpResponse ok(String contentType, IOBuf body) {
        return HttpResponse.of(HttpStatus.OK, contentType, body).with("Cache-Control", "no-store");
    }
}
