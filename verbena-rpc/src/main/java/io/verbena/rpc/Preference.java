// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Which servers of a list a channel prefers: those of its zone, and of these a subset. The subset
 * is chosen by rendezvous hashing: each channel ranks all servers by a hash of its own and takes
 * the first, so a server that comes or goes changes at most one place.
 */
final class Preference {
    private final String zone;
    private final int subsetSize;
    private final long seed;

    Preference(ClusterOptions options) {
        this(options.zone(), options.subsetSize(), ThreadLocalRandom.current().nextLong());
    }

    Preference(String zone, int subsetSize, long seed) {
        this.zone = zone;
        this.subsetSize = subsetSize;
        this.seed = seed;
    }

    /** {@return the places of the preferred servers; all if there is no preference} */
    List<ServerNode> of(List<ServerNode> servers) {
        List<ServerNode> near = zone.isEmpty() ? servers : inZone(servers);
        if (near.isEmpty()) {
            near = servers;
        }
        return subsetSize == 0 || near.size() <= subsetSize ? near : subset(near);
    }

    private List<ServerNode> inZone(List<ServerNode> servers) {
        return servers.stream().filter(server -> server.tagValue("zone").equals(zone)).toList();
    }

    private List<ServerNode> subset(List<ServerNode> servers) {
        List<ServerNode> ranked = new ArrayList<>(servers);
        ranked.sort(Comparator.comparingLong(this::rank));
        return List.copyOf(ranked.subList(0, subsetSize));
    }

    private long rank(ServerNode server) {
        long hash =
                seed ^ server.address().hashCode() * 0x9e3779b97f4a7c15L + server.tag().hashCode();
        hash = (hash ^ hash >>> 30) * 0xbf58476d1ce4e5b9L;
        hash = (hash ^ hash >>> 27) * 0x94d049bb133111ebL;
        return hash ^ hash >>> 31;
    }
}
