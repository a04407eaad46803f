// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.time.Duration;

/**
 * How long a peer's connection manager may take for steps that do not involve the application. A
 * REP has no limit here, because it waits for the peer's application.
 *
 * @param request from the peer's connect to its REQ
 * @param readyToUse from the REP sent to the peer's RTU
 * @param disconnectReply from the DREQ sent to the peer's DREP
 */
record CmTimeouts(Duration request, Duration readyToUse, Duration disconnectReply) {
    static final CmTimeouts DEFAULT =
            new CmTimeouts(Duration.ofSeconds(5), Duration.ofSeconds(5), Duration.ofSeconds(1));
}
