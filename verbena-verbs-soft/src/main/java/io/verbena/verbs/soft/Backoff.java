// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.concurrent.locks.LockSupport;

/**
 * How a thread waits for another that is about to be done: spins, then parks for a moment. It must
 * not spin on: whom it waits for may be a virtual thread that waits for a lock, and then for the
 * very carrier that the spinning holds. Yielding does not help, for a thread that yields may be the
 * next one chosen, again and again.
 */
final class Backoff {
    private static final int SPINS = 200;
    private static final long PARK_NS = 20_000;

    private Backoff() {}

    /**
     * Waits a little.
     *
     * @param tries how often the caller has tried before
     */
    static void pause(int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
        } else {
            LockSupport.parkNanos(PARK_NS);
        }
    }
}
