// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.EntryResolver;
import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerEntry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A fixed list: {@code list://host:port tag,host:port}; the tag is optional. Host names are looked
 * up again every few seconds, as for brpc's {@code dlist://}.
 */
final class ListNaming implements NamingService {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

    private final String scheme;
    private final HostLookup lookup;

    ListNaming(String scheme, HostLookup lookup) {
        this.scheme = scheme;
        this.lookup = lookup;
    }

    @Override
    public String scheme() {
        return scheme;
    }

    @Override
    public Watch watch(String name, Listener listener) {
        List<ServerEntry> entries = parse(name);
        EntryResolver resolver = new EntryResolver(lookup);
        if (entries.stream().allMatch(ServerEntry::isNumeric)) {
            try {
                listener.onServers(resolver.resolve(entries));
            } catch (UnknownHostException e) {
                throw new IllegalArgumentException(
                        "address: " + name + " (expected: host:port)", e);
            }
            return () -> {};
        }
        return PollingWatch.start(scheme, INTERVAL, () -> resolver.resolve(entries), listener);
    }

    private static List<ServerEntry> parse(String name) {
        List<ServerEntry> entries = new ArrayList<>();
        for (String entry : name.split(",", -1)) {
            if (!entry.isBlank()) {
                ServerEntry parsed = ServerEntry.parse(entry);
                // reads the weight; the address does not matter
                var _ = parsed.at(InetAddress.getLoopbackAddress());
                entries.add(parsed);
            }
        }
        return entries;
    }
}
