// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

/** The addresses and ports of this host, the only one the software device reaches. */
final class HostAddresses {
    private static final int FIRST_EPHEMERAL = 32768;
    private static final int EPHEMERAL = 61000 - FIRST_EPHEMERAL;

    private HostAddresses() {}

    /** {@return whether an address is the wildcard, a loopback address or that of an interface} */
    static boolean contains(InetAddress address) {
        if (address.isAnyLocalAddress() || address.isLoopbackAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (SocketException _) {
            // The interfaces cannot be listed: then none is known to have the address.
            return false;
        }
    }

    /** {@return the address to use for a given one: the wildcard becomes loopback} */
    static InetSocketAddress reachable(InetSocketAddress address) {
        return address.getAddress().isAnyLocalAddress()
                ? new InetSocketAddress(InetAddress.getLoopbackAddress(), address.getPort())
                : address;
    }

    /** {@return all ephemeral ports, each once, starting at a random one} */
    static IntStream ephemeralPorts() {
        int start = ThreadLocalRandom.current().nextInt(EPHEMERAL);
        return IntStream.range(start, start + EPHEMERAL).map(i -> FIRST_EPHEMERAL + i % EPHEMERAL);
    }
}
