// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * Where clients reach a server that listens on all addresses. The address of the host's name, if it
 * is one that others can use: Debian gives the name 127.0.1.1. Otherwise the first of an interface
 * that is up, in the order of the interfaces, IPv4 before IPv6.
 */
final class ReachableAddress {
    private ReachableAddress() {}

    /**
     * {@return where clients reach a server that listens on an address}
     *
     * @throws IllegalArgumentException if no address of the host can be reached by others
     */
    static InetSocketAddress of(InetSocketAddress listening) {
        if (!listening.getAddress().isAnyLocalAddress()) {
            return listening;
        }
        return new InetSocketAddress(
                choose(named(), ofInterfaces(), listening), listening.getPort());
    }

    /** {@return the best of the host's addresses} */
    static InetAddress choose(
            Optional<InetAddress> named, List<InetAddress> others, InetSocketAddress listening) {
        if (named.filter(ReachableAddress::isUsable).isPresent()) {
            return named.get();
        }
        if (others.isEmpty() && named.isPresent()) {
            // no network at all: whoever calls is on this host
            return named.get();
        }
        return others.stream()
                .filter(ReachableAddress::isUsable)
                .min(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "address: "
                                                + listening
                                                + ", and the host has none that others can reach"
                                                + " (expected: one that clients can connect to;"
                                                + " start the server on it, or announce it with a"
                                                + " ServerNode)"));
    }

    private static boolean isUsable(InetAddress address) {
        return !address.isLoopbackAddress()
                && !address.isLinkLocalAddress()
                && !address.isAnyLocalAddress()
                && !address.isMulticastAddress();
    }

    private static Optional<InetAddress> named() {
        try {
            return Optional.of(InetAddress.getLocalHost());
        } catch (UnknownHostException e) {
            // a host need not know its own name
            return Optional.empty();
        }
    }

    /** {@return the addresses of all interfaces but loopback} */
    private static List<InetAddress> ofInterfaces() {
        List<InetAddress> addresses = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces()
                    .filter(ReachableAddress::isUp)
                    .sorted(Comparator.comparingInt(NetworkInterface::getIndex))
                    .forEach(each -> each.inetAddresses().forEach(addresses::add));
        } catch (SocketException e) {
            throw new IllegalStateException("the host's interfaces cannot be listed", e);
        }
        return addresses;
    }

    private static boolean isUp(NetworkInterface each) {
        try {
            return each.isUp() && !each.isLoopback();
        } catch (SocketException e) {
            // it has gone meanwhile
            return false;
        }
    }
}
