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
        Options.require(colon > 0, "address", text, "host:port");
        InetSocketAddress address =
                new InetSocketAddress(host(stripped, colon), port(stripped, colon));
        Options.require(!address.isUnresolved(), "address", text, "a known host");
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
