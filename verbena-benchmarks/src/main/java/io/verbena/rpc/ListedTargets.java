// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.SocketMode;
import java.util.List;
import java.util.Properties;

/** The servers of a channel, and a call that chooses one of them again and again. */
public final class ListedTargets implements AutoCloseable {
    private final RpcNode node = RpcNode.open(SocketMode.TCP, new Properties());
    private final PendingCall call = new PendingCall(0);
    private final LoadBalancer.Picker picker;
    private final Target[] targets;

    /**
     * Servers that are never connected to.
     *
     * @param servers what a registry lists
     * @param picker chooses among them
     */
    public ListedTargets(List<ServerNode> servers, LoadBalancer.Picker picker) {
        this.picker = picker;
        targets = new Target[servers.size()];
        for (int i = 0; i < targets.length; i++) {
            ServerNode server = servers.get(i);
            targets[i] =
                    Target.of(server, ChannelOptions.DEFAULT, node.remotes())
                            .listedAs(server, picker, i);
        }
        call.controller = node.controller();
    }

    /**
     * {@return the place of the server that a call with this code gets}
     *
     * @param requestCode the call's
     */
    public int pick(long requestCode) {
        call.controller.setRequestCode(requestCode);
        return picker.select(call.context.over(targets, 0));
    }

    /**
     * Tells how a try went, as the engine does.
     *
     * @param server the server's place
     */
    public void tell(int server) {
        targets[server].onFeedback(1_000_000, 0);
    }

    @Override
    public void close() {
        for (Target target : targets) {
            target.release(node.remotes());
        }
        node.close();
    }
}
