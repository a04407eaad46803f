// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A line of a list of servers: {@code host:port}, and perhaps a tag after white space. The host is
 * a name, or an address in numbers; one of IPv6 stands in brackets.
 *
 * @param host name or address, without brackets
 * @param port where the server listens
 * @param tag what follows the address, see {@link ServerNode}; empty if nothing
 */
public record ServerEntry(String host, int port, String tag) {
    private static final int MAX_PORT = 0xffff;

    /** Checks the values. */
    public ServerEntry {
        Objects.requireNonNull(host, "host");
        Objects.requireNonNull(tag, "tag");
        if (port < 0 || port > MAX_PORT) {
            throw new IllegalArgumentException("port: " + port + " (expected: 0..65535)");
        }
    }

    /**
     * {@return an entry}
     *
     * @param text {@code host:port}, or {@code host:port tag}
     * @throws IllegalArgumentException if the text is malformed
     */
    public static ServerEntry parse(String text) {
        String[] parts = text.strip().split("\\s+", 2);
        String address = parts[0];
        int colon = address.lastIndexOf(':');
        if (colon <= 0 || address.endsWith("]")) {
            throw new IllegalArgumentException(
                    "address: " + text + " has no port (expected: host:port)");
        }
        try {
            return new ServerEntry(
                    withoutBrackets(address.substring(0, colon)),
                    Integer.parseInt(address.substring(colon + 1)),
                    parts.length > 1 ? parts[1] : "");
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "address: " + text + " (expected: host:port with a number)", e);
        }
    }

    private static String withoutBrackets(String host) {
        return host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
    }

    /** {@return whether the host is an address, so that nothing needs to be looked up} */
    public boolean isNumeric() {
        return host.indexOf(':') >= 0
                || !host.isEmpty() && host.chars().allMatch(c -> c == '.' || c >= '0' && c <= '9');
    }

    /**
     * {@return the server}
     *
     * @param address the address of the host
     */
    public ServerNode at(InetAddress address) {
        return new ServerNode(new InetSocketAddress(address, port), tag);
    }
}
