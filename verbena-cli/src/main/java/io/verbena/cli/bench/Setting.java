// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.util.OptionalLong;

/**
 * Under which conditions was measured.
 *
 * @param plan what was asked for
 * @param device the client's device
 * @param linkLayer the kind of its link
 * @param mtuBytes the path MTU
 * @param gidIndex which global identifier
 * @param inlineBytes the longest message sent inline
 * @param self the client's address
 * @param peer the server's address
 * @param idleBytesClient resident memory per idle queue pair in the client; nothing if not measured
 * @param idleBytesServer the same in the server
 */
record Setting(
        Plan plan,
        String device,
        String linkLayer,
        int mtuBytes,
        int gidIndex,
        int inlineBytes,
        Peer self,
        Peer peer,
        OptionalLong idleBytesClient,
        OptionalLong idleBytesServer) {
    static Setting of(Station station, OptionalLong idleClient, OptionalLong idleServer) {
        return new Setting(
                station.plan(),
                station.deviceName(),
                station.port().linkLayer(),
                station.mtu().bytes(),
                station.gidIndex(),
                station.inlineBytes(),
                station.self(),
                station.peer(),
                idleClient,
                idleServer);
    }
}
