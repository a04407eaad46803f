// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for another one that is about to finish: it spins, then parks for a moment. It
 * must not keep spinning: the other may be a virtual thread that waits for a lock, and then for the
 * very carrier that the spinning thread holds. Yielding does not help, because a thread that yields
 * may be scheduled next, again and again.
 */
final class Backoff {
    private static final int SPINS = 200;
    private static final long PARK_NS = 20_000;

    private Backoff() {}

    /**
     * Waits a little.
     *
     * @param tries how many times the caller has tried before
     */
    static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NS);
        }
    }
}
