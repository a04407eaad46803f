// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import java.net.InetAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Limits the connections that one address may have. Any thread. */
final class AddressLimit {
    private final int most;
    private final Map<InetAddress, Integer> counts = new ConcurrentHashMap<>();

    /**
     * A limit that nobody has used up.
     *
     * @param most how many connections; 0 means any number
     */
    AddressLimit(int most) {
        this.most = most;
    }

    /** {@return whether an address may have one more, which is then counted} */
    boolean tryEnter(InetAddress address) {
        return most == 0 || counts.merge(address, 1, Integer::sum) <= most || leaveAfter(address);
    }

    private boolean leaveAfter(InetAddress address) {
        leave(address);
        return false;
    }

    /** A connection has ended. */
    void leave(InetAddress address) {
        if (most > 0) {
            counts.computeIfPresent(address, (_, count) -> count == 1 ? null : count - 1);
        }
    }
}
