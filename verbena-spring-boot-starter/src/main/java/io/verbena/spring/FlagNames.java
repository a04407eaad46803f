// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.memory.BlockPoolOptions;
import io.verbena.rpc.RpcFlag;
import io.verbena.transport.Flag;
import io.verbena.transport.TransportFlag;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Finds flags by the names that properties have: Spring writes words with hyphens, and drops
 * underscores from the keys of a map.
 */
final class FlagNames {
    private FlagNames() {}

    /**
     * {@return the name of the flag that is meant; an unknown one with underscores}
     *
     * @param key such as {@code rdma-sq-size}, {@code rdma_sq_size} or {@code rdmasqsize}
     */
    static String of(String key) {
        return names().filter(name -> letters(name).equals(letters(key)))
                .findFirst()
                .orElse(key.replace('-', '_'));
    }

    private static Stream<String> names() {
        return Stream.concat(
                Stream.of(TransportFlag.values(), RpcFlag.values())
                        .flatMap(Stream::of)
                        .map(Flag::flagName),
                BlockPoolOptions.FLAGS.stream());
    }

    private static String letters(String name) {
        return name.replaceAll("[-_]", "").toLowerCase(Locale.ROOT);
    }
}
