// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerEntry;
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
        ServerEntry entry = ServerEntry.parse(text);
        InetSocketAddress address = new InetSocketAddress(entry.host(), entry.port());
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(
                    "address: " + text + ": unknown host " + entry.host());
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
}
