// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import static java.util.stream.Collectors.toSet;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks up the hosts of a list of servers, again and again. A host has one address at a time: it
 * keeps the one it has for as long as the resolver names it, or does not know the host. One thread
 * at a time.
 */
public final class EntryResolver {
    private final HostLookup lookup;
    private final LeftOut leftOut = new LeftOut();

    /** The hosts of the latest list. */
    private final Map<String, InetAddress> known = new HashMap<>();

    /**
     * Knows no host yet.
     *
     * @param lookup finds addresses
     */
    public EntryResolver(HostLookup lookup) {
        this.lookup = lookup;
    }

    /**
     * {@return the servers whose hosts are known, and whose weights are allowed} The others are
     * logged, once each. May block.
     *
     * @param entries the list
     * @throws UnknownHostException if none is left, and a host is not known
     * @throws IllegalArgumentException if none is left, and a weight is not allowed
     */
    public List<ServerNode> resolve(List<ServerEntry> entries) throws UnknownHostException {
        List<ServerNode> servers = new ArrayList<>(entries.size());
        Map<String, Exception> others = new LinkedHashMap<>();
        UnknownHostException unknown = null;
        IllegalArgumentException refused = null;
        for (ServerEntry entry : entries) {
            try {
                servers.add(entry.at(addressOf(entry.host())));
            } catch (UnknownHostException e) {
                unknown = e;
                others.put(entry.host(), e);
            } catch (IllegalArgumentException e) {
                refused = e;
                others.put(entry.toString(), e);
            }
        }
        known.keySet().retainAll(entries.stream().map(ServerEntry::host).collect(toSet()));
        if (servers.isEmpty() && unknown != null) {
            throw unknown;
        }
        if (servers.isEmpty() && refused != null) {
            throw refused;
        }
        leftOut.report(others);
        return servers;
    }

    private InetAddress addressOf(String host) throws UnknownHostException {
        InetAddress last = known.get(host);
        try {
            InetAddress[] found = lookup.addressesOf(host);
            if (last != null && Arrays.asList(found).contains(last)) {
                return last;
            }
            known.put(host, found[0]);
            return found[0];
        } catch (UnknownHostException e) {
            if (last == null) {
                throw e;
            }
            return last;
        }
    }
}
