// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import java.net.InetSocketAddress;

/** Looks up a server's address; {@code getaddrinfo}. */
final class PeerAddress {
    private PeerAddress() {}

    static InetSocketAddress resolve(String host, int port) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new ExampleException("host: " + host + " (expected: a name that resolves)");
        }
        return address;
    }
}
