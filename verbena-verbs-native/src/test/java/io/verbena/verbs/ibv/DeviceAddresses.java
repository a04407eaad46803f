// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Gid;
import io.verbena.verbs.GidEntry;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;

/** The internet addresses of a RoCE device, which its global identifiers are made of. */
final class DeviceAddresses {
    private DeviceAddresses() {}

    /** {@return an IPv4 address of port 1} */
    static Optional<InetAddress> versionFour(DeviceContext context) {
        return of(context).stream().filter(Inet4Address.class::isInstance).findFirst();
    }

    /** {@return an IPv6 address of port 1 that is valid beyond its link} */
    static Optional<InetAddress> versionSix(DeviceContext context) {
        return of(context).stream()
                .filter(Inet6Address.class::isInstance)
                .filter(address -> !address.isLinkLocalAddress())
                .findFirst();
    }

    private static List<InetAddress> of(DeviceContext context) {
        return context.queryGids(1).stream().map(GidEntry::gid).map(DeviceAddresses::of).toList();
    }

    private static InetAddress of(Gid gid) {
        try {
            // Turns an IPv4-mapped address into an IPv4 address.
            return InetAddress.getByAddress(gid.toBytes());
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
