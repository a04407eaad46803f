// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/**
 * How much a receiver holds of groups whose last frame has not arrived. A frame counts as its bytes
 * plus {@value #FRAME_COST}.
 *
 * @param maxGroupBytes of one sender; a sender that exceeds it is disconnected, and what it had
 *     sent is delivered as if it had died
 * @param maxHeldBytes of all senders; beyond it only one of them continues, and the others wait for
 *     it
 */
public record GroupLimits(long maxGroupBytes, long maxHeldBytes) {
    /** 16 MiB per group, 64 MiB in total. */
    public static final GroupLimits DEFAULT = new GroupLimits(16 << 20, 64 << 20);

    static final int FRAME_COST = 64;

    /** Checks the limits. */
    public GroupLimits {
        check("maxGroupBytes", maxGroupBytes);
        check("maxHeldBytes", maxHeldBytes);
    }

    private static void check(String name, long value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: at least 1)");
        }
    }
}
