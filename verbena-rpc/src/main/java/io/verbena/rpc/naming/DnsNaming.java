// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.NamingService;
import io.verbena.rpc.spi.PollingWatch;
import io.verbena.rpc.spi.ServerEntry;
import io.verbena.rpc.spi.ServerNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.naming.NamingException;

/**
 * The name service of the network, asked every few seconds: {@code dns://host:port} is every
 * address of a host (A and AAAA records), {@code dns://_name._tcp.domain} what the SRV records of a
 * service say, with their weights. Both is how Kubernetes lists the pods of a headless service.
 */
final class DnsNaming implements NamingService {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final InetAddress[] NONE = {};

    private final HostLookup lookup;
    private final ServiceRecords records;

    DnsNaming(HostLookup lookup, ServiceRecords records) {
        this.lookup = lookup;
        this.records = records;
    }

    @Override
    public String scheme() {
        return "dns";
    }

    @Override
    public Watch watch(String name, Listener listener) {
        if (name.startsWith("_")) {
            Map<String, InetAddress[]> known = new HashMap<>();
            return PollingWatch.start("dns", INTERVAL, () -> services(name, known), listener);
        }
        ServerEntry entry = ServerEntry.parse(name);
        return PollingWatch.start("dns", INTERVAL, () -> hosts(entry), listener);
    }

    private List<ServerNode> hosts(ServerEntry entry) throws UnknownHostException {
        return servers(entry, lookup.addressesOf(entry.host()));
    }

    private static List<ServerNode> servers(ServerEntry entry, InetAddress[] addresses) {
        return Arrays.stream(addresses).map(entry::at).toList();
    }

    /**
     * {@return the servers of the first priority: the others are for when all of those are gone} A
     * host that is unknown now keeps the addresses it had; one that never was known is left out.
     *
     * @param known the addresses of each host, as last heard
     * @throws UnknownHostException if no host is known
     */
    private List<ServerNode> services(String name, Map<String, InetAddress[]> known)
            throws NamingException, UnknownHostException {
        List<ServiceRecords.Service> found = records.of(name);
        int first =
                found.stream()
                        .mapToInt(ServiceRecords.Service::priority)
                        .min()
                        .orElse(Integer.MAX_VALUE);
        List<ServerNode> servers = new ArrayList<>();
        UnknownHostException unknown = null;
        for (ServiceRecords.Service service : found) {
            if (service.priority() == first) {
                String host = service.host();
                try {
                    known.put(host, lookup.addressesOf(host));
                } catch (UnknownHostException e) {
                    unknown = e;
                }
                String tag = "w=" + Math.max(1, service.weight());
                servers.addAll(
                        servers(
                                new ServerEntry(host, service.port(), tag),
                                known.getOrDefault(host, NONE)));
            }
        }
        if (servers.isEmpty() && unknown != null) {
            throw unknown;
        }
        return servers;
    }
}
