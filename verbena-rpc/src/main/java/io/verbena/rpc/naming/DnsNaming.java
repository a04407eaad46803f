// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.naming;

import static java.util.stream.Collectors.toSet;

import io.verbena.rpc.spi.HostLookup;
import io.verbena.rpc.spi.LeftOut;
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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.naming.NamingException;

/**
 * The name service of the network, asked every few seconds: {@code dns://host:port} is every
 * address of a host (A and AAAA records), {@code dns://_name._tcp.domain} what the SRV records of a
 * service say, with their weights. Both is how Kubernetes lists the pods of a headless service.
 * With a name server in front, {@code dns://server:port/name}, that one is asked, not the system's.
 */
final class DnsNaming implements NamingService {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final InetAddress[] NONE = {};

    /** Finds the addresses of a host. May block. */
    @FunctionalInterface
    private interface Hosts {
        /**
         * {@return the addresses of a host}
         *
         * @throws UnknownHostException if there is none
         * @throws NamingException if nobody answers: other hosts need not be asked
         */
        InetAddress[] addressesOf(String host) throws UnknownHostException, NamingException;
    }

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
        int slash = name.indexOf('/');
        String asked = name.substring(slash + 1);
        if (slash <= 0) {
            return watch(asked, records, lookup::addressesOf, listener);
        }
        NameServers servers = NameServers.at(name.substring(0, slash));
        return watch(asked, ServiceRecords.at(servers), servers::addressesOf, listener);
    }

    private static Watch watch(
            String name, ServiceRecords records, Hosts hosts, Listener listener) {
        if (name.startsWith("_")) {
            Map<String, InetAddress[]> known = new HashMap<>();
            LeftOut leftOut = new LeftOut();
            return PollingWatch.start(
                    "dns",
                    INTERVAL,
                    () -> services(records.of(name), hosts, known, leftOut),
                    listener);
        }
        ServerEntry entry = ServerEntry.parse(name);
        return PollingWatch.start(
                "dns", INTERVAL, () -> servers(entry, hosts.addressesOf(entry.host())), listener);
    }

    private static List<ServerNode> servers(ServerEntry entry, InetAddress[] addresses) {
        return Arrays.stream(addresses).map(entry::at).toList();
    }

    /**
     * {@return the servers of the first priority: the others are for when all of those are gone} A
     * host that is unknown now keeps the addresses it had; one that was not in the list before is
     * left out.
     *
     * @param known the addresses of each host of the list before
     * @param leftOut told of the others
     * @throws UnknownHostException if no host is known
     */
    private static List<ServerNode> services(
            List<ServiceRecords.Service> found,
            Hosts hosts,
            Map<String, InetAddress[]> known,
            LeftOut leftOut)
            throws NamingException, UnknownHostException {
        int first =
                found.stream()
                        .mapToInt(ServiceRecords.Service::priority)
                        .min()
                        .orElse(Integer.MAX_VALUE);
        List<ServerNode> servers = new ArrayList<>();
        Map<String, UnknownHostException> unknown = new LinkedHashMap<>();
        for (ServiceRecords.Service service : found) {
            if (service.priority() == first) {
                String host = service.host();
                try {
                    known.put(host, hosts.addressesOf(host));
                } catch (UnknownHostException e) {
                    if (!known.containsKey(host)) {
                        unknown.put(host, e);
                    }
                }
                String tag = "w=" + Math.max(1, service.weight());
                servers.addAll(
                        servers(
                                new ServerEntry(host, service.port(), tag),
                                known.getOrDefault(host, NONE)));
            }
        }
        known.keySet().retainAll(found.stream().map(ServiceRecords.Service::host).collect(toSet()));
        if (servers.isEmpty() && !unknown.isEmpty()) {
            throw unknown.values().iterator().next();
        }
        leftOut.report(unknown);
        return servers;
    }
}
