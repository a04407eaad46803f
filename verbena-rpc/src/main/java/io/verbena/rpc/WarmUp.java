// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.ThreadLocalRandom;

/**
 * Calls come slowly to a server that is new to a list, or back: from a tenth of its share to all of
 * it. Any thread may call any method.
 */
final class WarmUp {
    /** The part of its calls that a server gets at first. */
    private static final int LEAST_SHARE = 10;

    /** When it began, in terms of {@link System#nanoTime}. */
    private volatile long sinceNs;

    private volatile boolean isUnderWay;

    /** The server may be cold from now on. */
    void begin() {
        sinceNs = System.nanoTime();
        isUnderWay = true;
    }

    /** {@return whether a call may go there, if warming up takes so long} */
    boolean admits(long lengthNs) {
        if (!isUnderWay) {
            return true;
        }
        long ageNs = System.nanoTime() - sinceNs;
        if (ageNs >= lengthNs) {
            isUnderWay = false;
            return true;
        }
        return ThreadLocalRandom.current().nextLong(lengthNs)
                < Math.max(ageNs, lengthNs / LEAST_SHARE);
    }
}
