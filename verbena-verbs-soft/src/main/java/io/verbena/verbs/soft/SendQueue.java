// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.ScatterGatherElement;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.MemorySegment;
import java.util.Locale;

/**
 * The send requests of a queue pair. A slot is free again once the completion of a signaled request
 * has been polled, as on real devices; that frees its own slot and all earlier ones. So it is
 * polling threads that free slots, in any order.
 *
 * <p>The bytes of an inline request lie where those of another have their elements: on an idle
 * connection they would be a third of all memory.
 */
final class SendQueue extends WorkQueue<SendWorkRequest> {
    private static final long LOW = 0xFFFF_FFFFL;
    private static final int WORDS = 8;
    private static final int ID = 0;
    private static final int REMOTE_ADDRESS = 1;
    private static final int OPERAND = 2;
    private static final int SWAP = 3;
    private static final int LENGTH = 4;
    private static final int END = 5;
    private static final int KIND_IMMEDIATE = 6;
    private static final int RKEY = 7;
    private static final int LAST_OPCODE = SendOpcode.FETCH_AND_ADD.code();

    private final int maxInline;
    private final boolean signalAll;
    private final DomainMemory memory;
    private final MemorySlice inlineSlice = new MemorySlice();
    private final MemorySegment inlineBytes;
    private final long[] requests;

    SendQueue(
            int capacity, int maxElements, int maxInline, boolean signalAll, DomainMemory memory) {
        super("ibv_post_send", capacity, maxElements, maxInline);
        this.memory = memory;
        this.maxInline = maxInline;
        this.signalAll = signalAll;
        this.inlineBytes = slotMemory();
        this.requests = new long[slots() * WORDS];
    }

    @Override
    boolean hasNext(SendWorkRequest request) {
        return request.hasNext();
    }

    @Override
    SendWorkRequest next(SendWorkRequest request) {
        return request.next();
    }

    @Override
    void write(int slot, SendWorkRequest request) {
        int opcode = request.opcodeCode();
        int count = request.elementCount();
        int flags = request.flags();
        if (opcode < 0 || opcode > LAST_OPCODE) {
            throw malformed("opcode", Integer.toString(opcode), "0.." + LAST_OPCODE);
        }
        elementCount(slot, count);
        int at = slot * WORDS;
        requests[at + ID] = request.id();
        boolean isInline = (flags & SendWorkRequest.INLINE) != 0;
        requests[at + LENGTH] =
                isInline
                        ? copyInline(slot, opcode, request, count)
                        : copyElements(slot, request, count);
        int kind = opcode | (signalAll ? flags | SendWorkRequest.SIGNALED : flags) << 8;
        requests[at + KIND_IMMEDIATE] = kind | (long) request.immediate() << 32;
        requests[at + RKEY] = 0;
        if (opcode != SendOpcode.SEND.code()) {
            writeRemote(at, opcode, request);
        }
    }

    private void writeRemote(int at, int opcode, SendWorkRequest request) {
        boolean isAtomic = opcode >= SendOpcode.COMPARE_AND_SWAP.code();
        requests[at + REMOTE_ADDRESS] = request.remoteAddress();
        requests[at + RKEY] = isAtomic ? request.atomicRkey() : request.rkey();
        if (isAtomic) {
            requests[at + OPERAND] = request.compareAdd();
            requests[at + SWAP] = request.swap();
        }
    }

    private long copyElements(int slot, SendWorkRequest request, int count) {
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += element(slot, i, request.element(i));
        }
        return total;
    }

    /** {@return how many bytes the request has, which are in the slot now} */
    private long copyInline(int slot, int opcode, SendWorkRequest request, int count) {
        if (opcode >= SendOpcode.RDMA_READ.code()) {
            throw malformed(
                    "flags",
                    "INLINE with " + SendOpcode.of(opcode),
                    "INLINE with sends and writes");
        }
        long total = 0;
        for (int i = 0; i < count; i++) {
            total += request.element(i).length() & LOW;
        }
        if (total > maxInline) {
            throw malformed("inline length", Long.toString(total), "0.." + maxInline);
        }
        long to = inlineOffset(slot);
        for (int i = 0; i < count; i++) {
            ScatterGatherElement element = request.element(i);
            if (!isCopied(element, to)) {
                throw malformed(
                        "inline element " + i,
                        String.format(Locale.ROOT, "lkey 0x%x", element.lkey()),
                        "a memory region that covers it: this device reads inline data through it");
            }
            to += element.length();
        }
        return total;
    }

    private boolean isCopied(ScatterGatherElement element, long to) {
        int length = element.length();
        return memory.resolveLocal(element.lkey(), element.address(), length, false, inlineSlice)
                && ByteCopy.tryCopy(
                        inlineSlice.memory(), inlineSlice.offset(), inlineBytes, to, length);
    }

    /** Gives back every slot below an index; called by polling threads, in any order. */
    void free(long index) {
        long seen = freedAcquire();
        while (seen < index && !compareAndSetFreed(seen, index)) {
            seen = freedAcquire();
        }
    }

    /**
     * Forgets everything; only when nobody posts. Indices keep counting: a poll that is under way
     * may still free requests posted before, and those must not be freed twice.
     */
    void reset() {
        freedRelease(tailAcquire());
    }

    long id(int slot) {
        return requests[slot * WORDS + ID];
    }

    int opcode(int slot) {
        return (int) requests[slot * WORDS + KIND_IMMEDIATE] & 0xFF;
    }

    int flags(int slot) {
        return (int) requests[slot * WORDS + KIND_IMMEDIATE] >>> 8;
    }

    int immediate(int slot) {
        return (int) (requests[slot * WORDS + KIND_IMMEDIATE] >>> 32);
    }

    long remoteAddress(int slot) {
        return requests[slot * WORDS + REMOTE_ADDRESS];
    }

    int rkey(int slot) {
        return (int) requests[slot * WORDS + RKEY];
    }

    long operand(int slot) {
        return requests[slot * WORDS + OPERAND];
    }

    long swap(int slot) {
        return requests[slot * WORDS + SWAP];
    }

    long length(int slot) {
        return requests[slot * WORDS + LENGTH];
    }

    MemorySegment inlineBytes() {
        return inlineBytes;
    }

    long inlineOffset(int slot) {
        return slotOffset(slot);
    }

    /** The ring position after the request's last frame; set by the requester. */
    void end(int slot, long position) {
        requests[slot * WORDS + END] = position;
    }

    long end(int slot) {
        return requests[slot * WORDS + END];
    }
}
