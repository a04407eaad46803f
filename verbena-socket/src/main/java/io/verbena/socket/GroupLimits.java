// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/**
 * How much a receiver holds of groups whose last frame has not come. A frame counts its bytes and
 * {@value #FRAME_COST} more.
 *
 * @param maxGroupBytes of one sender; a sender that exceeds it is cut, and what it had sent is
 *     delivered as if it had died
 * @param maxHeldBytes of all senders; beyond it only one of them goes on, the others wait for it
 */
public record GroupLimits(long maxGroupBytes, long maxHeldBytes) {
    /** 16 MiB of a group, 64 MiB of all. */
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
