// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import java.util.OptionalLong;

/**
 * The conditions of a measurement.
 *
 * @param plan the test plan
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
record Conditions(
        TestPlan plan,
        String device,
        String linkLayer,
        int mtuBytes,
        int gidIndex,
        int inlineBytes,
        StationAddress self,
        StationAddress peer,
        OptionalLong idleBytesClient,
        OptionalLong idleBytesServer) {
    static Conditions of(Station station, OptionalLong idleClient, OptionalLong idleServer) {
        return new Conditions(
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
