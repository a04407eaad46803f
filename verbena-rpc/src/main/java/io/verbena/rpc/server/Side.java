// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import java.net.Inet6Address;
import java.net.InetSocketAddress;

/** One end of a connection, in words. */
public final class Side {
    private Side() {}

    /**
     * {@return an address as brpc writes it, {@code ip:port} or {@code [ip]:port}; never a name}
     *
     * @param address which
     */
    public static String text(InetSocketAddress address) {
        String ip = address.getAddress().getHostAddress();
        return (address.getAddress() instanceof Inet6Address ? "[" + ip + "]" : ip)
                + ":"
                + address.getPort();
    }
}
