// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/**
 * The number of a work request: its owner, its kind, and which one it is.
 *
 * <pre>
 *  63         36 35    24 23   20 19      0
 *  | generation |  slot  | kind | number |
 * </pre>
 *
 * <p>Slots are reused; a completion of another generation belongs to an earlier owner.
 */
final class WorkId {
    static final int SEND = 1;
    static final int READ = 2;
    static final int RECEIVE = 3;
    static final int CONTROL = 4;

    static final int MAX_SLOTS = 1 << 12;
    static final int NUMBERS = 1 << 20;

    private static final int KIND_SHIFT = 20;
    private static final int SLOT_SHIFT = 24;
    private static final int GENERATION_SHIFT = 36;

    private WorkId() {}

    /** {@return the part that all requests of an owner share} */
    static long owner(long generation, int slot) {
        return generation << GENERATION_SHIFT | (long) (slot & MAX_SLOTS - 1) << SLOT_SHIFT;
    }

    static long of(long owner, int kind, long number) {
        return owner | (long) kind << KIND_SHIFT | number & NUMBERS - 1;
    }

    static long ownerOf(long id) {
        return id >>> SLOT_SHIFT << SLOT_SHIFT;
    }

    static int slot(long id) {
        return (int) (id >>> SLOT_SHIFT) & MAX_SLOTS - 1;
    }

    static int kind(long id) {
        return (int) (id >>> KIND_SHIFT) & 0xF;
    }

    static int number(long id) {
        return (int) id & NUMBERS - 1;
    }
}
