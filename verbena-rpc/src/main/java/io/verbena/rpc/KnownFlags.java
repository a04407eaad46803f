// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.transport.TransportFlag;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** The names of all flags of a node. Finds misspelt ones, which would otherwise have no effect. */
final class KnownFlags {
    /** Only flags begin like this; other names belong to other parts of a program. */
    private static final String OURS = "rdma_";

    /** A name with at most this many wrong letters is a misspelt flag, whatever it begins with. */
    private static final int TYPO = 2;

    private static final List<String> NAMES =
            Stream.of(
                            Stream.of(TransportFlag.values()).map(TransportFlag::flagName),
                            Stream.of(RpcFlag.values()).map(RpcFlag::flagName),
                            BlockPoolOptions.FLAGS.stream())
                    .flatMap(names -> names)
                    .distinct()
                    .toList();

    private KnownFlags() {}

    /**
     * Refuses names that are meant to be flags and are not.
     *
     * @param properties flags among other things, such as the system properties
     * @throws IllegalArgumentException names the flag that is nearest
     */
    static void check(Properties properties) {
        for (String name : properties.stringPropertyNames()) {
            if (NAMES.contains(name)) {
                continue;
            }
            boolean isOurs = name.startsWith(OURS);
            nearest(name, isOurs ? Integer.MAX_VALUE : TYPO).ifPresent(flag -> refuse(name, flag));
        }
    }

    private static void refuse(String name, String nearest) {
        throw new IllegalArgumentException(
                "flag: " + name + ": no such flag (did you mean " + nearest + "?)");
    }

    /** {@return the flag that is nearest, if no more letters differ than that} */
    private static Optional<String> nearest(String name, int limit) {
        // lengths first: at the start of a program, distances of all its properties would take long
        return NAMES.stream()
                .filter(known -> Math.abs(known.length() - name.length()) <= limit)
                .filter(known -> distance(name, known) <= limit)
                .min(Comparator.comparingInt(known -> distance(name, known)));
    }

    /** {@return how many letters must be inserted, removed or replaced} Levenshtein's distance. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[other.length()];
    }
}
