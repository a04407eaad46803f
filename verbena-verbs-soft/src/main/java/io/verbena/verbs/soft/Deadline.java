// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** Points in time as {@link System#nanoTime} gives them. */
final class Deadline {
    /** No deadline. The clock is no more likely to give this value than any other. */
    static final long NEVER = Long.MIN_VALUE;

    private Deadline() {}

    /** {@return the earlier of two deadlines, either of which may be {@link #NEVER}} */
    static long earlier(long oneNs, long otherNs) {
        if (oneNs == NEVER || otherNs == NEVER) {
            return oneNs == NEVER ? otherNs : oneNs;
        }
        return oneNs - otherNs < 0 ? oneNs : otherNs;
    }

    /** {@return whether a deadline is set and has come} */
    static boolean isDue(long deadlineNs, long nowNs) {
        return deadlineNs != NEVER && nowNs - deadlineNs >= 0;
    }
}
