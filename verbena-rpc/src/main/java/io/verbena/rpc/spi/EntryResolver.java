// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks up the hosts of a list of servers, again and again. A host has one address at a time: it
 * keeps the one it has for as long as the resolver names it, or does not know the host. One thread
 * at a time.
 */
public final class EntryResolver {
    private final HostLookup lookup;
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
     * {@return the servers whose hosts are known} May block.
     *
     * @param entries the list
     * @throws UnknownHostException if the list is not empty and no host is known
     */
    public List<ServerNode> resolve(List<ServerEntry> entries) throws UnknownHostException {
        List<ServerNode> servers = new ArrayList<>(entries.size());
        UnknownHostException unknown = null;
        for (ServerEntry entry : entries) {
            try {
                servers.add(entry.at(addressOf(entry.host())));
            } catch (UnknownHostException e) {
                unknown = e;
            }
        }
        if (servers.isEmpty() && unknown != null) {
            throw unknown;
        }
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
