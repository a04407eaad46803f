// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A server as a registry lists it. The same address with another tag is another server.
 *
 * @param address where it listens
 * @param tag what the registry adds to the address, such as a weight; empty if nothing
 */
public record ServerNode(InetSocketAddress address, String tag) {
    /** Checks that neither is null. */
    public ServerNode {
        Objects.requireNonNull(address, "address");
        Objects.requireNonNull(tag, "tag");
    }

    @Override
    public String toString() {
        return tag.isEmpty() ? address.toString() : address + " " + tag;
    }
}
