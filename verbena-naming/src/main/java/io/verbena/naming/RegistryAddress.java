// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import io.verbena.rpc.spi.ServerEntry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where a registry is, and a name in it: {@code host:port,host:port/path?key=value&key=value}. All
 * hosts are members of one registry.
 *
 * @param hosts {@code host:port} each; at least one
 * @param path what follows the first slash, without slashes at its ends; not empty
 * @param parameters what follows the question mark
 */
public record RegistryAddress(List<String> hosts, String path, Map<String, String> parameters) {
    /** Copies the lists. */
    public RegistryAddress {
        hosts = List.copyOf(hosts);
        parameters = Map.copyOf(parameters);
    }

    /**
     * {@return an address}
     *
     * @param name what follows {@code scheme://}
     * @param defaultPort the port of hosts without one
     * @param known the parameters that there are
     * @throws IllegalArgumentException if the name is malformed, or has another parameter
     */
    public static RegistryAddress parse(String name, int defaultPort, Set<String> known) {
        String[] parts = name.split("\\?", 2);
        int slash = parts[0].indexOf('/');
        String path = slash < 0 ? "" : withoutSlashes(parts[0].substring(slash));
        if (slash <= 0 || path.isEmpty()) {
            throw new IllegalArgumentException("name: " + name + " (expected: host:port/path)");
        }
        return new RegistryAddress(
                hosts(parts[0].substring(0, slash), defaultPort),
                path,
                parameters(parts.length > 1 ? parts[1] : "", known));
    }

    private static String withoutSlashes(String path) {
        return path.replaceAll("^/+|/+$", "");
    }

    private static List<String> hosts(String text, int defaultPort) {
        List<String> hosts = new ArrayList<>();
        for (String each : text.split(",", -1)) {
            boolean hasPort = each.lastIndexOf(':') > each.lastIndexOf(']');
            String host = hasPort ? each : each + ":" + defaultPort;
            var _ = ServerEntry.parse(host);
            hosts.add(host);
        }
        return hosts;
    }

    private static Map<String, String> parameters(String text, Set<String> known) {
        Map<String, String> parameters = new LinkedHashMap<>();
        for (String each : text.split("&", -1)) {
            if (!each.isEmpty()) {
                String[] parts = each.split("=", 2);
                if (parts.length < 2 || !known.contains(parts[0])) {
                    throw new IllegalArgumentException(
                            "parameter: "
                                    + each
                                    + " (expected: key=value with one of "
                                    + known
                                    + ")");
                }
                parameters.put(parts[0], parts[1]);
            }
        }
        return parameters;
    }

    /**
     * {@return a parameter in milliseconds}
     *
     * @param key its name
     * @param otherwise its value if it is not given
     * @throws IllegalArgumentException if it is not a number, or not positive
     */
    public int milliseconds(String key, int otherwise) {
        String text = parameters.get(key);
        if (text == null) {
            return otherwise;
        }
        try {
            int value = Integer.parseInt(text);
            if (value > 0) {
                return value;
            }
        } catch (NumberFormatException _) {
            // the same message as for a number that is not allowed
        }
        throw new IllegalArgumentException(key + ": " + text + " (expected: milliseconds > 0)");
    }
}
