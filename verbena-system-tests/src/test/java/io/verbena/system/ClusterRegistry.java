// SPDX-License-Identifier: Apache-2.0

package io.verbena.system;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** Where a disturbed cluster is listed. */
enum ClusterRegistry {
    /** The servers are part of the channel's address. */
    LIST,
    FILE,
    ZOOKEEPER,
    ETCD;

    /** {@return the process of a registry that has one, else null} It is not started. */
    RegistryProcess process(Path folder) throws IOException {
        return switch (this) {
            case LIST, FILE -> null;
            case ZOOKEEPER -> RealRegistry.ZOOKEEPER.open(folder);
            case ETCD -> RealRegistry.ETCD.open(folder);
        };
    }

    /** {@return where servers announce themselves; empty if they do not} */
    String serverUrl(Path folder, RegistryProcess process) {
        return switch (this) {
            case LIST -> "";
            case FILE -> "file://" + folder.resolve("servers");
            case ZOOKEEPER, ETCD -> process.url("echo");
        };
    }

    /** {@return where a channel finds the servers} */
    String channelUrl(Path folder, RegistryProcess process, List<ClusterServer> servers) {
        return this == LIST
                ? servers.stream()
                        .map(server -> "127.0.0.1:" + server.port())
                        .collect(Collectors.joining(",", "list://", ""))
                : serverUrl(folder, process);
    }
}
