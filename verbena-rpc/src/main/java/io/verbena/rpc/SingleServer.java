// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/** The one server of a channel that was opened with an address. */
final class SingleServer implements ServerSelector {
    private final Target target;
    private final SocketMap map;

    SingleServer(Target target, SocketMap map) {
        this.target = target;
        this.map = map;
    }

    @Override
    public Target select(Call call) {
        return target.sockets().isReachable() ? target : null;
    }

    @Override
    public TryFailure noServer() {
        return TryFailure.of(
                RpcError.EHOSTDOWN,
                "not connected to " + target.node() + " yet; it is probed meanwhile");
    }

    @Override
    public void close() {
        target.release(map);
    }
}
