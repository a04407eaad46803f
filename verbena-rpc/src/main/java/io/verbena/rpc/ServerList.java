// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import java.util.List;

/**
 * The servers of a channel until the registry reports others, and what chooses among them.
 * Immutable: a call uses one list, whatever happens meanwhile.
 *
 * @param nodes the servers as the registry lists them
 * @param targets the same servers, in the same order
 * @param picker chooses among them
 * @param preferred those that are asked first; null if all are. On the path of every call, so no
 *     Optional
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; every call indexes it
record ServerList(
        List<ServerNode> nodes,
        Target[] targets,
        LoadBalancer.Picker picker,
        ServerList preferred) {
    static final ServerList EMPTY =
            new ServerList(List.of(), new Target[0], call -> LoadBalancer.NONE, null);

    boolean isEmpty() {
        return targets.length == 0;
    }
}
