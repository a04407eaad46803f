// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.List;

/** The only server of a channel that was opened with an address. */
final class SingleServer implements ServerSelector {
    private final Target target;
    private final RemoteServers remotes;

    SingleServer(Target target, RemoteServers remotes) {
        this.target = target;
        this.remotes = remotes;
    }

    @Override
    public Target select(PendingCall call) {
        return target.server().isReachable() ? target : null;
    }

    @Override
    public List<Target> targets() {
        return List.of(target);
    }

    @Override
    public TryFailure noServer() {
        return TryFailure.of(
                RpcError.EHOSTDOWN, "not connected to " + target.node() + " yet; probing it");
    }

    @Override
    public void close() {
        target.release(remotes);
    }
}
