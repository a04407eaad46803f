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
import java.util.List;
import javax.naming.NamingException;

/**
 * The name service of the network, asked every few seconds: {@code dns://host:port} is every
 * address of a host (A and AAAA records), {@code dns://_name._tcp.domain} what the SRV records of a
 * service say, with their weights. Both is how Kubernetes lists the pods of a headless service.
 */
final class DnsNaming implements NamingService {
    private static final Duration INTERVAL = Duration.ofSeconds(5);

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
            return PollingWatch.start("dns", INTERVAL, () -> services(name), listener);
        }
        ServerEntry entry = ServerEntry.parse(name);
        return PollingWatch.start("dns", INTERVAL, () -> hosts(entry), listener);
    }

    List<ServerNode> hosts(ServerEntry entry) throws UnknownHostException {
        List<ServerNode> servers = new ArrayList<>();
        for (InetAddress address : lookup.addressesOf(entry.host())) {
            servers.add(entry.at(address));
        }
        return servers;
    }

    /** Only the records of the first priority: the others are for when all of those are gone. */
    List<ServerNode> services(String name) throws NamingException, UnknownHostException {
        List<ServiceRecords.Service> found = records.of(name);
        int first =
                found.stream()
                        .mapToInt(ServiceRecords.Service::priority)
                        .min()
                        .orElse(Integer.MAX_VALUE);
        List<ServerNode> servers = new ArrayList<>();
        for (ServiceRecords.Service service : found) {
            if (service.priority() == first) {
                String tag = "w=" + Math.max(1, service.weight());
                servers.addAll(hosts(new ServerEntry(service.host(), service.port(), tag)));
            }
        }
        return servers;
    }
}
