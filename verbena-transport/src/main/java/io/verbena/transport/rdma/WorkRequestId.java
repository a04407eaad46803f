// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

/**
 * The number of a work request: its owner, and how many requests its completion stands for.
 *
 * <pre>
 *  63                32 31      16 15     0
 *  |     generation    |   slot   | count |
 * </pre>
 *
 * <p>A completion queue is shared by many connections, and a slot by many connections one after the
 * other; a completion with a generation other than that of the slot's owner belongs to an earlier
 * owner.
 */
final class WorkRequestId {
    /** The most slots of a group. */
    static final int MAX_SLOTS = 1 << 16;

    /** The count of a request without data: a pure acknowledgement. */
    static final int NO_DATA = 0;

    private static final int LOW = 0xFFFF;

    private WorkRequestId() {}

    static long of(int generation, int slot, int count) {
        return (long) generation << 32 | (slot & LOW) << 16 & 0xFFFF_FFFFL | count & LOW;
    }

    static int generation(long id) {
        return (int) (id >>> 32);
    }

    static int slot(long id) {
        return (int) (id >>> 16) & LOW;
    }

    static int count(long id) {
        return (int) id & LOW;
    }
}
