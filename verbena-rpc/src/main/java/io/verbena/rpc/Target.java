// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.LoadBalancer;
import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.SocketMode;
import java.util.Optional;

/**
 * A server of a channel, as a try of a call sees it.
 *
 * @param node the server as the registry lists it
 * @param server the server over the transport that the channel asks for
 * @param overTcp the same server over TCP, if the channel falls back to that when RDMA fails
 * @param hasBreaker whether its failures count for the circuit breaker
 * @param picker what chooses it, and learns how tries went
 * @param index its place in the picker's list
 * @param warmUp begins if it comes to a list that is in use; other lists may call it for long
 */
record Target(
        ServerNode node,
        RemoteServer server,
        Optional<RemoteServer> overTcp,
        boolean hasBreaker,
        LoadBalancer.Picker picker,
        int index,
        WarmUp warmUp) {
    /** Of a target that no balancer chooses. */
    private static final LoadBalancer.Picker ALONE = call -> 0;

    /** {@return a server whose connections are shared with other channels} */
    static Target of(ServerNode node, ChannelOptions options, RemoteServers remotes) {
        boolean hasTwo =
                options.socketMode() == SocketMode.RDMA && options.isRdmaFailureRetriedOnTcp();
        RemoteServer server = remotes.acquire(key(node, options, options.socketMode()));
        try {
            return new Target(
                    node,
                    server,
                    hasTwo
                            ? Optional.of(remotes.acquire(key(node, options, SocketMode.TCP)))
                            : Optional.empty(),
                    options.cluster().hasCircuitBreaker(),
                    ALONE,
                    0,
                    new WarmUp());
        } catch (Throwable e) {
            remotes.release(server);
            throw e;
        }
    }

    /** {@return a server that a health check calls} */
    static Target probed(RemoteServer server) {
        return new Target(
                new ServerNode(server.key().address(), server.key().tag()),
                server,
                Optional.empty(),
                false,
                ALONE,
                0,
                new WarmUp());
    }

    private static RemoteServerKey key(ServerNode node, ChannelOptions options, SocketMode mode) {
        return new RemoteServerKey(
                node.address(),
                node.tag(),
                mode,
                options.connectionGroup(),
                HealthCriterion.of(options.cluster()),
                options.sslOptions(),
                options.auth());
    }

    /** {@return the same server in another list} */
    Target listedAs(ServerNode entry, LoadBalancer.Picker chooser, int place) {
        return new Target(entry, server, overTcp, hasBreaker, chooser, place, warmUp);
    }

    void release(RemoteServers remotes) {
        remotes.release(server);
        overTcp.ifPresent(remotes::release);
    }

    RemoteServer serverFor(boolean isTcpForced) {
        return isTcpForced ? overTcp.orElse(server) : server;
    }

    /** {@return whether a call may go there, as far as is known} */
    boolean isAvailable() {
        return server.isReachable();
    }

    /** {@return whether a call may go there, if a server that is new or back is called slowly} */
    boolean isWarmEnough(long slowStartNs) {
        return warmUp.admits(slowStartNs) && server.isWarmEnough(slowStartNs);
    }

    /** A try that went there is over. */
    void onFeedback(long latencyNs, int errorCode) {
        if (hasBreaker) {
            server.onFeedback(latencyNs, errorCode);
        }
        picker.onFeedback(index, latencyNs, errorCode);
    }
}
