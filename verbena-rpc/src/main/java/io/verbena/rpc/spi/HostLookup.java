// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetAddress;
import java.net.UnknownHostException;

/** Finds the addresses of a host. May block. */
@FunctionalInterface
public interface HostLookup {
    /** The system's resolver; the JVM keeps its answers for a while. */
    HostLookup SYSTEM = InetAddress::getAllByName;

    /**
     * {@return the addresses of a host, IPv4 and IPv6}
     *
     * @param host a name, or an address in numbers
     * @throws UnknownHostException if there is none
     */
    InetAddress[] addressesOf(String host) throws UnknownHostException;
}
