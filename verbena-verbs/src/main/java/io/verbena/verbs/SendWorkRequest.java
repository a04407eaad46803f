// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A request for the send queue; {@code ibv_send_wr}. Prepared once, patched and posted many times;
 * posting copies what it needs, so it may be patched again as soon as the post returns.
 *
 * <p>Laid out in native memory as in C, so a provider can hand it to a driver unchanged. The memory
 * lives as long as the arena it was allocated from. Not safe for several threads at once.
 */
public final class SendWorkRequest {
    /** Start only after all reads and atomics before it are done; {@code IBV_SEND_FENCE}. */
    public static final int FENCE = 1;

    /** Produce a completion when done; {@code IBV_SEND_SIGNALED}. */
    public static final int SIGNALED = 2;

    /** Wake a peer that waits for solicited events only; {@code IBV_SEND_SOLICITED}. */
    public static final int SOLICITED = 4;

    /** Copy the bytes while posting; the buffer may be reused at once; {@code IBV_SEND_INLINE}. */
    public static final int INLINE = 8;

    private static final int SIZE = 128;
    private static final long ID = 0;
    private static final long NEXT = 8;
    private static final long ELEMENTS = 16;
    private static final long ELEMENT_COUNT = 24;
    private static final long OPCODE = 28;
    private static final long FLAGS = 32;
    private static final long IMMEDIATE = 36;
    private static final long REMOTE_ADDRESS = 40;
    private static final long RKEY = 48;
    private static final long COMPARE_ADD = 48;
    private static final long SWAP = 56;
    private static final long ATOMIC_RKEY = 64;
    private static final ValueLayout.OfInt NETWORK_INT =
            ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemorySegment memory;
    private final ScatterGatherElement[] elements;
    private SendWorkRequest next;

    private SendWorkRequest(MemorySegment memory, int maxElements) {
        this.memory = memory;
        this.elements = WorkRequestMemory.elements(memory, SIZE, maxElements);
        memory.set(ValueLayout.JAVA_LONG, ELEMENTS, memory.address() + SIZE);
    }

    /**
     * {@return a new request: SEND, signaled, no elements}
     *
     * @param arena the owner of its memory
     * @param maxElements the room for scatter/gather elements
     */
    public static SendWorkRequest allocate(Arena arena, int maxElements) {
        return new SendWorkRequest(
                        WorkRequestMemory.allocate(arena, SIZE, maxElements), maxElements)
                .opcode(SendOpcode.SEND)
                .flags(SIGNALED);
    }

    /**
     * Sets the number that comes back in the completion.
     *
     * @param id any number
     * @return this
     */
    public SendWorkRequest id(long id) {
        memory.set(ValueLayout.JAVA_LONG, ID, id);
        return this;
    }

    /**
     * Sets what to do.
     *
     * @param opcode the operation
     * @return this
     */
    public SendWorkRequest opcode(SendOpcode opcode) {
        memory.set(ValueLayout.JAVA_INT, OPCODE, opcode.code());
        return this;
    }

    /**
     * Sets the flags.
     *
     * @param flags any of {@link #FENCE}, {@link #SIGNALED}, {@link #SOLICITED}, {@link #INLINE}
     * @return this
     */
    public SendWorkRequest flags(int flags) {
        memory.set(ValueLayout.JAVA_INT, FLAGS, flags);
        return this;
    }

    /**
     * Sets the immediate data; on the wire it is big-endian, as {@code htonl} would make it.
     *
     * @param value 32 bits
     * @return this
     */
    public SendWorkRequest immediate(int value) {
        memory.set(NETWORK_INT, IMMEDIATE, value);
        return this;
    }

    /**
     * Sets the target of an RDMA write or read.
     *
     * @param address the remote virtual address
     * @param rkey the remote key
     * @return this
     */
    public SendWorkRequest remote(long address, int rkey) {
        memory.set(ValueLayout.JAVA_LONG, REMOTE_ADDRESS, address);
        memory.set(ValueLayout.JAVA_INT, RKEY, rkey);
        return this;
    }

    /**
     * Makes this a compare and swap.
     *
     * @param address the remote virtual address, a multiple of 8
     * @param rkey the remote key
     * @param compare the value that must be there
     * @param swap the value to put
     * @return this
     */
    public SendWorkRequest compareAndSwap(long address, int rkey, long compare, long swap) {
        memory.set(ValueLayout.JAVA_LONG, SWAP, swap);
        return atomic(SendOpcode.COMPARE_AND_SWAP, address, rkey, compare);
    }

    /**
     * Makes this a fetch and add.
     *
     * @param address the remote virtual address, a multiple of 8
     * @param rkey the remote key
     * @param add what to add
     * @return this
     */
    public SendWorkRequest fetchAndAdd(long address, int rkey, long add) {
        return atomic(SendOpcode.FETCH_AND_ADD, address, rkey, add);
    }

    private SendWorkRequest atomic(SendOpcode opcode, long address, int rkey, long compareAdd) {
        memory.set(ValueLayout.JAVA_LONG, REMOTE_ADDRESS, address);
        memory.set(ValueLayout.JAVA_LONG, COMPARE_ADD, compareAdd);
        memory.set(ValueLayout.JAVA_INT, ATOMIC_RKEY, rkey);
        return opcode(opcode);
    }

    /**
     * Sets how many elements the request uses.
     *
     * @param count from 0 to {@link #maxElements()}
     * @return this
     */
    public SendWorkRequest elementCount(int count) {
        WorkRequestMemory.checkCount(count, elements.length);
        memory.set(ValueLayout.JAVA_INT, ELEMENT_COUNT, count);
        return this;
    }

    /**
     * Uses exactly one element.
     *
     * @param region the region that holds the bytes
     * @param offset where they start inside it
     * @param length how many
     * @return this
     */
    public SendWorkRequest element(MemoryRegion region, long offset, int length) {
        elements[0].set(region, offset, length);
        return elementCount(1);
    }

    /**
     * Chains a request behind this one, so that one post takes both.
     *
     * @param request the next one, or null for none
     * @return this
     */
    public SendWorkRequest next(SendWorkRequest request) {
        next = request;
        memory.set(ValueLayout.JAVA_LONG, NEXT, request == null ? 0 : request.memory.address());
        return this;
    }

    /**
     * {@return an element to set; it takes part in the request only below {@link #elementCount()}}
     *
     * @param index from 0 to the maximum given at allocation
     */
    public ScatterGatherElement element(int index) {
        return elements[index];
    }

    /** {@return how many elements the request uses} */
    public int elementCount() {
        return memory.get(ValueLayout.JAVA_INT, ELEMENT_COUNT);
    }

    /** {@return how many elements there is room for} */
    public int maxElements() {
        return elements.length;
    }

    /** {@return whether a request is chained behind this one} */
    public boolean hasNext() {
        return next != null;
    }

    /** {@return the request chained behind this one; only valid if {@link #hasNext()}} */
    public SendWorkRequest next() {
        return next;
    }

    /** {@return the number that comes back in the completion} */
    public long id() {
        return memory.get(ValueLayout.JAVA_LONG, ID);
    }

    /** {@return the operation} */
    public SendOpcode opcode() {
        return SendOpcode.of(memory.get(ValueLayout.JAVA_INT, OPCODE));
    }

    /** {@return the operation as libibverbs numbers it} */
    public int opcodeCode() {
        return memory.get(ValueLayout.JAVA_INT, OPCODE);
    }

    /** {@return the flags} */
    public int flags() {
        return memory.get(ValueLayout.JAVA_INT, FLAGS);
    }

    /** {@return the immediate data} */
    public int immediate() {
        return memory.get(NETWORK_INT, IMMEDIATE);
    }

    /** {@return the remote virtual address} */
    public long remoteAddress() {
        return memory.get(ValueLayout.JAVA_LONG, REMOTE_ADDRESS);
    }

    /** {@return the remote key of an RDMA write or read} */
    public int rkey() {
        return memory.get(ValueLayout.JAVA_INT, RKEY);
    }

    /** {@return the remote key of an atomic} */
    public int atomicRkey() {
        return memory.get(ValueLayout.JAVA_INT, ATOMIC_RKEY);
    }

    /** {@return the value to compare with, or to add} */
    public long compareAdd() {
        return memory.get(ValueLayout.JAVA_LONG, COMPARE_ADD);
    }

    /** {@return the value to put if the comparison holds} */
    public long swap() {
        return memory.get(ValueLayout.JAVA_LONG, SWAP);
    }

    /** {@return the request in memory, laid out as {@code struct ibv_send_wr}} */
    public MemorySegment memory() {
        return memory;
    }
}
