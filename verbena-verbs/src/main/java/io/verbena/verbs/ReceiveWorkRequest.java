// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A request for the receive queue: where to put an incoming message; {@code ibv_recv_wr}. Prepared
 * once, patched and posted many times, like {@link SendWorkRequest}.
 */
public final class ReceiveWorkRequest {
    private static final int SIZE = 32;
    private static final long ID = 0;
    private static final long NEXT = 8;
    private static final long ELEMENTS = 16;
    private static final long ELEMENT_COUNT = 24;

    private final MemorySegment memory;
    private final ScatterGatherElement[] elements;
    private ReceiveWorkRequest next;

    private ReceiveWorkRequest(MemorySegment memory, int maxElements) {
        this.memory = memory;
        this.elements = WorkRequestMemory.elements(memory, SIZE, maxElements);
        memory.set(ValueLayout.JAVA_LONG, ELEMENTS, memory.address() + SIZE);
    }

    /**
     * {@return a new request without elements}
     *
     * @param arena the owner of its memory
     * @param maxElements the room for scatter/gather elements
     */
    public static ReceiveWorkRequest allocate(Arena arena, int maxElements) {
        return new ReceiveWorkRequest(
                WorkRequestMemory.allocate(arena, SIZE, maxElements), maxElements);
    }

    /**
     * Sets the number that comes back in the completion.
     *
     * @param id any number
     * @return this
     */
    public ReceiveWorkRequest id(long id) {
        memory.set(ValueLayout.JAVA_LONG, ID, id);
        return this;
    }

    /**
     * Sets how many elements the request uses.
     *
     * @param count from 0 to {@link #maxElements()}
     * @return this
     */
    public ReceiveWorkRequest elementCount(int count) {
        WorkRequestMemory.checkCount(count, elements.length);
        memory.set(ValueLayout.JAVA_INT, ELEMENT_COUNT, count);
        return this;
    }

    /**
     * Uses exactly one element.
     *
     * @param region the region to receive into
     * @param offset where to start inside it
     * @param length how many bytes there is room for
     * @return this
     */
    public ReceiveWorkRequest element(MemoryRegion region, long offset, int length) {
        elements[0].set(region, offset, length);
        return elementCount(1);
    }

    /**
     * Chains a request behind this one, so that one post takes both.
     *
     * @param request the next one, or null for none
     * @return this
     */
    public ReceiveWorkRequest next(ReceiveWorkRequest request) {
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
    public ReceiveWorkRequest next() {
        return next;
    }

    /** {@return the number that comes back in the completion} */
    public long id() {
        return memory.get(ValueLayout.JAVA_LONG, ID);
    }

    /** {@return the request in memory, laid out as {@code struct ibv_recv_wr}} */
    public MemorySegment memory() {
        return memory;
    }
}
