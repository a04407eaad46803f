// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.util.List;

/**
 * The servers of a channel with several, as they are now.
 *
 * @param name the address of the registry
 * @param problem why the list may be out of date; empty if it is not
 * @param members the servers
 */
public record ClusterStatus(String name, String problem, List<Member> members) {
    /** Copies the list. */
    public ClusterStatus {
        members = List.copyOf(members);
    }

    /**
     * A server.
     *
     * @param server the server as the registry lists it
     * @param isAvailable whether calls go there
     */
    public record Member(ServerNode server, boolean isAvailable) {}
}
