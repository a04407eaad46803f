// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Locale;
import java.util.Objects;

/**
 * A cursor over the completions of one poll; {@code ibv_wc}. Allocated once, filled by {@link
 * CompletionQueue#poll}, valid until it is used for the next poll.
 *
 * {@snippet :
 * int count = queue.poll(completion);
 * for (int i = 0; i < count; i++) {
 *     completion.at(i);
 *     handle(completion.id(), completion.status());
 * }
 * }
 *
 * <p>On a failed completion only {@link #id()}, {@link #status()} and {@link #queuePairNumber()}
 * mean anything. Not safe for several threads at once. The memory has the layout of an array of
 * {@code struct ibv_wc}:
 *
 * <pre>
 *  0    8        12       16           20       24          28       32       36      40      48
 *  | id | status | opcode | vendor err | length | immediate | number | source | flags |  ...  |
 * </pre>
 */
public final class WorkCompletion {
    /** Set in {@link #flags()} if there is immediate data; {@code IBV_WC_WITH_IMM}. */
    public static final int WITH_IMMEDIATE = 2;

    private static final int SIZE = 48;
    private static final long ID = 0;
    private static final long STATUS = 8;
    private static final long OPCODE = 12;
    private static final long VENDOR_ERROR = 16;
    private static final long LENGTH = 20;
    private static final long IMMEDIATE = 24;
    private static final long NUMBER = 28;
    private static final long SOURCE = 32;
    private static final long FLAGS = 36;
    private static final long LOW = 0xFFFF_FFFFL;

    /** Two 32-bit fields in one access. */
    private static final ValueLayout.OfLong PAIR =
            ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final ValueLayout.OfInt NETWORK_INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment memory;
    private final int capacity;
    private long base;

    private WorkCompletion(MemorySegment memory, int capacity) {
        this.memory = memory;
        this.capacity = capacity;
    }

    /**
     * {@return a cursor with room for a number of completions}
     *
     * @param arena the owner of its memory
     * @param capacity the most one poll may return, at least 1
     */
    public static WorkCompletion allocate(Arena arena, int capacity) {
        if (capacity < 1) {
            throw new IllegalArgumentException("capacity: " + capacity + " (expected: >= 1)");
        }
        return new WorkCompletion(arena.allocate((long) capacity * SIZE, 64), capacity);
    }

    /** {@return the most one poll may return} */
    public int capacity() {
        return capacity;
    }

    /**
     * Moves to a completion of the last poll.
     *
     * @param index from 0 to what the poll returned, exclusive
     * @return this
     */
    public WorkCompletion at(int index) {
        base = (long) Objects.checkIndex(index, capacity) * SIZE;
        return this;
    }

    /** {@return the number given in the work request} */
    public long id() {
        return memory.get(ValueLayout.JAVA_LONG, base + ID);
    }

    /** {@return how the request ended} */
    public WorkCompletionStatus status() {
        return WorkCompletionStatus.of(statusCode());
    }

    /** {@return how the request ended, as libibverbs numbers it} */
    public int statusCode() {
        return memory.get(ValueLayout.JAVA_INT, base + STATUS);
    }

    /** {@return what kind of request completed} */
    public WorkCompletionOpcode opcode() {
        return WorkCompletionOpcode.of(opcodeCode());
    }

    /** {@return what kind of request completed, as libibverbs numbers it} */
    public int opcodeCode() {
        return memory.get(ValueLayout.JAVA_INT, base + OPCODE);
    }

    /** {@return a vendor-specific error code} */
    public int vendorError() {
        return memory.get(ValueLayout.JAVA_INT, base + VENDOR_ERROR);
    }

    /** {@return how many bytes were received or read} */
    public int length() {
        return memory.get(ValueLayout.JAVA_INT, base + LENGTH);
    }

    /** {@return the immediate data; only meaningful if {@link #hasImmediate()}} */
    public int immediate() {
        return memory.get(NETWORK_INT, base + IMMEDIATE);
    }

    /** {@return whether there is immediate data} */
    public boolean hasImmediate() {
        return (flags() & WITH_IMMEDIATE) != 0;
    }

    /** {@return the number of the local queue pair} */
    public int queuePairNumber() {
        return memory.get(ValueLayout.JAVA_INT, base + NUMBER);
    }

    /** {@return the flags, see {@link #WITH_IMMEDIATE}} */
    public int flags() {
        return memory.get(ValueLayout.JAVA_INT, base + FLAGS);
    }

    /**
     * Fills the completion at the cursor; for providers.
     *
     * @param id the work request's number
     * @param status the status code
     * @param opcode the opcode's code
     * @param length bytes received or read
     * @param immediate immediate data
     * @param number the local queue pair's number
     * @param flags see {@link #flags()}
     */
    public void set(
            long id, int status, int opcode, int length, int immediate, int number, int flags) {
        memory.set(ValueLayout.JAVA_LONG, base + ID, id);
        memory.set(PAIR, base + STATUS, status & LOW | (long) opcode << 32);
        memory.set(PAIR, base + VENDOR_ERROR, (long) length << 32);
        memory.set(
                PAIR,
                base + IMMEDIATE,
                Integer.reverseBytes(immediate) & LOW | (long) number << 32);
        memory.set(PAIR, base + SOURCE, (long) flags << 32);
    }

    /** {@return the completions in memory, an array of {@code struct ibv_wc}} */
    public MemorySegment memory() {
        return memory;
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "completion[id=0x%x status=%d (%s) opcode=%s length=%d qp=0x%x]",
                id(),
                statusCode(),
                status(),
                opcode(),
                length(),
                queuePairNumber());
    }
}
