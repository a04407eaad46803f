// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Into how many partitions a service is divided, as the tags of its servers say. */
final class PartitionCount {
    private static final Pattern TAG = Pattern.compile("(\\d{1,6})/(\\d{1,6})");

    private final BitSet partitions = new BitSet();
    private int servers;

    private PartitionCount() {}

    /**
     * {@return the numbers of partitions all of which have a server, each with how many servers
     * these are} Servers with other tags are ignored.
     */
    static Map<Integer, Integer> complete(List<ServerNode> listed) {
        Map<Integer, PartitionCount> counts = new TreeMap<>();
        for (ServerNode server : listed) {
            Matcher tag = TAG.matcher(server.tag());
            if (tag.matches()) {
                int partition = Integer.parseInt(tag.group(1));
                int count = Integer.parseInt(tag.group(2));
                if (partition < count) {
                    counts.computeIfAbsent(count, _ -> new PartitionCount()).add(partition);
                }
            }
        }
        Map<Integer, Integer> complete = new TreeMap<>();
        counts.forEach(
                (count, found) -> {
                    if (found.partitions.cardinality() == count) {
                        complete.put(count, found.servers);
                    }
                });
        return complete;
    }

    /** {@return the numbers of partitions of which at least one has a server} */
    static Set<Integer> listed(List<ServerNode> listed) {
        return listed.stream()
                .map(server -> TAG.matcher(server.tag()))
                .filter(Matcher::matches)
                .map(tag -> Integer.valueOf(tag.group(2)))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private void add(int partition) {
        partitions.set(partition);
        servers++;
    }
}
