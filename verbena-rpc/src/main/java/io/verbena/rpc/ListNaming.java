// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.ServerNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A fixed list: {@code list://host:port tag,host:port}; the tag is optional. */
final class ListNaming implements NamingService {
    @Override
    public String scheme() {
        return "list";
    }

    @Override
    public Watch watch(String name, Listener listener) {
        listener.onServers(parse(name));
        return () -> {};
    }

    static List<ServerNode> parse(String name) {
        Set<ServerNode> servers = new LinkedHashSet<>();
        for (String entry : name.split(",", -1)) {
            String stripped = entry.strip();
            if (!stripped.isEmpty()) {
                servers.add(server(stripped));
            }
        }
        return List.copyOf(servers);
    }

    private static ServerNode server(String entry) {
        String[] parts = entry.split("\\s+", 2);
        return new ServerNode(Addresses.parse(parts[0]), parts.length > 1 ? parts[1] : "");
    }
}
