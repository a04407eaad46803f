// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

/**
 * The number of one try of one call, sent as the correlation id.
 *
 * <pre>
 *   61             26 25    20 19        0
 *   +----------------+--------+-----------+
 *   |   generation   |  try   |   place   |
 *   +----------------+--------+-----------+
 * </pre>
 *
 * <p>A place in the {@link CallTable} serves one call after another; the generation tells them
 * apart. A late answer finds that its generation or its try is out of date, and never reaches
 * another call.
 */
final class CallId {
    static final int PLACE_BITS = 20;
    static final int MAX_PLACES = 1 << PLACE_BITS;
    private static final int TRY_BITS = 6;
    private static final int GENERATION_SHIFT = PLACE_BITS + TRY_BITS;
    private static final int TRY_MASK = (1 << TRY_BITS) - 1;
    private static final long GENERATION_MASK = (1L << 62 - GENERATION_SHIFT) - 1;

    private CallId() {}

    static long of(long generation, int attempt, int place) {
        return (generation & GENERATION_MASK) << GENERATION_SHIFT
                | (long) (attempt & TRY_MASK) << PLACE_BITS
                | place;
    }

    static int place(long id) {
        return (int) id & MAX_PLACES - 1;
    }

    static int attempt(long id) {
        return (int) (id >>> PLACE_BITS) & TRY_MASK;
    }

    static long generation(long id) {
        return id >>> GENERATION_SHIFT;
    }

    /** {@return whether both ids belong to the same call} */
    static boolean isSameCall(long one, long other) {
        return (one >>> GENERATION_SHIFT) == (other >>> GENERATION_SHIFT)
                && place(one) == place(other);
    }

    /** {@return the id of the next try of a call} */
    static long nextAttempt(long id) {
        return of(generation(id), attempt(id) + 1, place(id));
    }

    /** {@return the id of the first try of the next call at the same place} */
    static long nextCall(long id) {
        return of(generation(id) + 1, 0, place(id));
    }
}
