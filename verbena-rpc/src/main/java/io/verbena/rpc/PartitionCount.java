// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Into how many partitions a service is divided, as the tags of its servers say: by a word such as
 * {@code 0/3}, among any others.
 */
final class PartitionCount {
    private static final Pattern WORD = Pattern.compile(word("(0|[1-9]\\d{0,5})/([1-9]\\d{0,5})"));

    private final BitSet partitions = new BitSet();
    private int servers;

    private PartitionCount() {}

    private static String word(String pattern) {
        return "(?<!\\S)" + pattern + "(?!\\S)";
    }

    /** {@return whether a server has a partition, as its tag says} */
    static Predicate<ServerNode> having(int partition, int count) {
        Predicate<String> tag = Pattern.compile(word(partition + "/" + count)).asPredicate();
        return server -> tag.test(server.tag());
    }

    /**
     * {@return the numbers of partitions all of which have a server, each with how many servers
     * these are} Servers with other tags are ignored.
     */
    static Map<Integer, Integer> complete(List<ServerNode> listed) {
        Map<Integer, PartitionCount> counts = new TreeMap<>();
        for (ServerNode server : listed) {
            Matcher tag = WORD.matcher(server.tag());
            while (tag.find()) {
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
                .flatMap(server -> WORD.matcher(server.tag()).results())
                .map(word -> Integer.valueOf(word.group(2)))
                .collect(Collectors.toCollection(HashSet::new));
    }

    private void add(int partition) {
        partitions.set(partition);
        servers++;
    }
}
