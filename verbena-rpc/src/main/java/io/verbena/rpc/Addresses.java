// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** Addresses as brpc writes them: {@code host:port}, {@code [v6]:port}. */
public final class Addresses {
    private Addresses() {}

    /**
     * {@return the address; the host name is resolved by this call}
     *
     * @param text {@code host:port}
     * @throws IllegalArgumentException if the text is malformed, or the host is unknown
     */
    public static InetSocketAddress parse(String text) {
        String stripped = text.strip();
        int colon = stripped.lastIndexOf(':');
        if (colon <= 0 || stripped.endsWith("]")) {
            throw new IllegalArgumentException(
                    "address: " + text + " has no port (expected: host:port)");
        }
        String host = host(stripped, colon);
        InetSocketAddress address = new InetSocketAddress(host, port(stripped, colon));
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address: " + text + ": unknown host " + host);
        }
        return address;
    }

    /**
     * {@return the numeric form of an address, {@code ip:port} or {@code [ip]:port}}
     *
     * @param address a resolved address
     */
    public static String text(InetSocketAddress address) {
        String ip = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + ip + "]" : ip)
                + ":"
                + address.getPort();
    }

    private static String host(String text, int colon) {
        String host = text.substring(0, colon);
        return host.startsWith("[") && host.endsWith("]")
                ? host.substring(1, host.length() - 1)
                : host;
    }

    private static int port(String text, int colon) {
        try {
            int port = Integer.parseInt(text.substring(colon + 1));
            Options.require(port >= 0 && port <= 0xffff, "port", port, "0..65535");
            return port;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "address: " + text + " (expected: host:port with a number)", e);
        }
    }
}
