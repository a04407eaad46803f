// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.rpc.spi.ServerNode;
import io.verbena.transport.SocketMode;
import java.util.Optional;

/**
 * A server of a channel, with its connections.
 *
 * @param node as the registry names it
 * @param sockets its connections as the channel wants them
 * @param overTcp its connections over TCP, if the channel uses them when RDMA fails
 */
record Target(ServerNode node, ServerSockets sockets, Optional<ServerSockets> overTcp) {
    static Target of(ServerNode node, ChannelOptions options, SocketMap map) {
        boolean hasTwo =
                options.socketMode() == SocketMode.RDMA && options.isRdmaFailureRetriedOnTcp();
        return new Target(
                node,
                map.acquire(key(node, options, options.socketMode())),
                hasTwo
                        ? Optional.of(map.acquire(key(node, options, SocketMode.TCP)))
                        : Optional.empty());
    }

    private static SocketKey key(ServerNode node, ChannelOptions options, SocketMode mode) {
        return new SocketKey(
                node.address(), node.tag(), mode, options.connectionGroup(), options.auth());
    }

    void release(SocketMap map) {
        map.release(sockets);
        overTcp.ifPresent(map::release);
    }

    ServerSockets socketsFor(boolean isTcpForced) {
        return isTcpForced ? overTcp.orElse(sockets) : sockets;
    }
}
