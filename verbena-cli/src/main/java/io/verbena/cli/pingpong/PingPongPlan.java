// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.pingpong;

import io.verbena.verbs.PathMtu;
import java.time.Duration;

/**
 * What to send back and forth; the same on both sides.
 *
 * @param size the size of a message in bytes
 * @param iterations how many round trips it makes
 * @param mtu the path MTU
 * @param receiveDepth how many receives to post at a time
 * @param events whether to sleep until completions come, rather than spin
 * @param validate whether to verify what was received
 * @param limit how long the peer's next step may take
 */
record PingPongPlan(
        int size,
        int iterations,
        PathMtu mtu,
        int receiveDepth,
        boolean events,
        boolean validate,
        Duration limit) {}
