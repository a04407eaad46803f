// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Where a disturbed cluster is listed. */
final class ClusterRegistry implements AutoCloseable {
    /** The registries that a cluster can have. */
    enum Kind {
        /** The servers are part of the channel's address. */
        LIST,
        FILE,
        /** The servers are in a file that a name server reads, as services. */
        DNS,
        /** The servers are in a file that is a page of a web server. */
        HTTP,
        ZOOKEEPER,
        ETCD
    }

    private static final String NAME = "echo";

    private final Kind kind;
    private final Path folder;
    private final Optional<RegistryProcess> process;

    ClusterRegistry(Kind kind, Path folder) throws IOException {
        this.kind = kind;
        this.folder = folder;
        this.process =
                switch (kind) {
                    case LIST, FILE -> Optional.empty();
                    case DNS -> Optional.of(new ListServerProcess("dns", folder));
                    case HTTP -> Optional.of(new ListServerProcess("http", folder));
                    case ZOOKEEPER -> Optional.of(RealRegistry.ZOOKEEPER.open(folder));
                    case ETCD -> Optional.of(RealRegistry.ETCD.open(folder));
                };
    }

    void start() throws InterruptedException {
        if (process.isPresent()) {
            process.get().start();
        }
    }

    /** {@return what can be disturbed, if it is a process} */
    Optional<RegistryProcess> process() {
        return process;
    }

    /** {@return where servers announce themselves; empty if they do not} */
    Optional<String> serverUrl() {
        return switch (kind) {
            case LIST -> Optional.empty();
            case FILE, DNS, HTTP -> Optional.of("file://" + folder.resolve(NAME));
            case ZOOKEEPER, ETCD -> process.map(each -> each.url(NAME));
        };
    }

    /** {@return where a channel finds the servers} */
    String channelUrl(List<ClusterServer> servers) {
        return process.map(each -> each.url(NAME))
                .or(this::serverUrl)
                .orElseGet(
                        () ->
                                servers.stream()
                                        .map(server -> "127.0.0.1:" + server.port())
                                        .collect(Collectors.joining(",", "list://", "")));
    }

    @Override
    public String toString() {
        return kind.toString();
    }

    @Override
    public void close() {
        process.ifPresent(RegistryProcess::close);
    }
}
