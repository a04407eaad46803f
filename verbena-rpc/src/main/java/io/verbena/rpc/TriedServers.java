// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;

/** The servers that a call has tried: the last {@value #MOST} are avoided, as in brpc. */
final class TriedServers {
    static final int MOST = 8;

    /** None was tried. Nothing may be added. */
    static final TriedServers NOTHING = new TriedServers();

    private final ServerNode[] servers = new ServerNode[MOST];
    private int count;

    void add(ServerNode server) {
        servers[count++ % MOST] = server;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean contains(ServerNode server) {
        int known = Math.min(count, MOST);
        for (int i = 0; i < known; i++) {
            if (isSame(servers[i], server)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isSame(ServerNode one, ServerNode other) {
        return one.address().equals(other.address()) && one.tag().equals(other.tag());
    }

    void clear() {
        int known = Math.min(count, MOST);
        for (int i = 0; i < known; i++) {
            servers[i] = null;
        }
        count = 0;
    }
}
