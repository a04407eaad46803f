// SPDX-License-Identifier: Apache-2.0
package io.verbena.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the device has counted so far: packets, retries, errors.
 *
 * @param values by name
 */
record HardwareCounters(Map<String, Long> values) {
    private static final Path FOLDER = Path.of("/sys/class/infiniband/rxe0/ports/1/hw_counters");

    static HardwareCounters read() throws IOException {
        Map<String, Long> values = new TreeMap<>();
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : (Iterable<Path>) files::iterator) {
                // "lifespan" is a setting: how long the kernel keeps the figures
                if (!file.endsWith("lifespan")) {
                    values.put(
                            file.getFileName().toString(),
                            Long.valueOf(Files.readString(file).strip()));
                }
            }
        }
        return new HardwareCounters(values);
    }

    /** {@return a line for each, with how much it has grown} */
    List<String> since(HardwareCounters earlier) {
        List<String> lines = new ArrayList<>();
        values.forEach(
                (name, value) -> {
                    long growth = value - earlier.values().getOrDefault(name, 0L);
                    lines.add(String.format(Locale.ROOT, "%-24s %8d (%+d)", name, value, growth));
                });
        return lines;
    }
}
