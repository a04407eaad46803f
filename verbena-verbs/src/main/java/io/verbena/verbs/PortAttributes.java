// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

/**
 * The state and limits of a port; {@code ibv_port_attr}.
 *
 * @param state whether it is ready for traffic
 * @param maxMtu the largest path MTU it supports
 * @param activeMtu the largest path MTU it can use now
 * @param lid its local identifier; 0 on Ethernet
 * @param gidTableLength how many global identifiers it has room for
 * @param maxMessageBytes the longest message
 * @param linkLayer {@code InfiniBand}, {@code Ethernet} or {@code Memory}
 */
public record PortAttributes(
        PortState state,
        PathMtu maxMtu,
        PathMtu activeMtu,
        int lid,
        int gidTableLength,
        long maxMessageBytes,
        String linkLayer) {}
