// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;

/**
 * Keeps a loop from spinning forever. A loop that has made no progress for {@link #SPINS}
 * iterations calls {@link #check}, first with 0, then with the previous result.
 */
final class StallCheck {
    /** How many times to spin between two checks, less one: a mask. */
    static final int SPINS = (1 << 14) - 1;

    private static final long LIMIT_NS = 20_000_000_000L;

    private final ControlLink link;

    StallCheck(ControlLink link) {
        this.link = link;
    }

    /**
     * {@return the time at which the loop must give up}
     *
     * @param deadlineNs what the last call of this loop returned, 0 before the first
     */
    long check(long deadlineNs) {
        link.checkAlive();
        long now = System.nanoTime();
        if (deadlineNs == 0) {
            return now + LIMIT_NS;
        }
        if (now - deadlineNs > 0) {
            throw new ToolException("no progress for " + LIMIT_NS / 1_000_000_000L + " s");
        }
        return deadlineNs;
    }
}
