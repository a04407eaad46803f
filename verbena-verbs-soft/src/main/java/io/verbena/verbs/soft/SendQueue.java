// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ScatterGatherElement;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;

/**
 * The send requests of a queue pair, in the order they were posted.
 *
 * <p>One thread posts; the turn reads; polling threads free. An index counts requests since the
 * start and never wraps. Slots are freed only when the completion of a signaled request has been
 * polled, as on real devices: it frees all before it.
 */
final class SendQueue {
    private static final int WORDS = 8;
    private static final int ID = 0;
    private static final int REMOTE_ADDRESS = 1;
    private static final int OPERAND = 2;
    private static final int SWAP = 3;
    private static final int LENGTH = 4;
    private static final int END = 5;
    private static final int KIND_IMMEDIATE = 6;
    private static final int RKEY_COUNT = 7;
    private static final int LAST_OPCODE = SendOpcode.FETCH_AND_ADD.code();
    private static final long LOW = 0xFFFF_FFFFL;
    private static final VarHandle TAIL;
    private static final VarHandle FREED;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            TAIL = lookup.findVarHandle(SendQueue.class, "tail", long.class);
            FREED = lookup.findVarHandle(SendQueue.class, "freed", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int capacity;
    private final int mask;
    private final int maxElements;
    private final int maxInline;
    private final boolean signalAll;
    private final DomainMemory memory;
    private final MemorySlice inlineSlice = new MemorySlice();
    private final MemorySegment inlineBytes;
    private final long[] requests;
    private final long[] elements;
    private long tail;
    private volatile long freed;

    SendQueue(
            int capacity,
            int maxElements,
            int maxInline,
            boolean signalAll,
            SegmentAllocator allocator,
            DomainMemory memory) {
        this.memory = memory;
        int slots = Integer.highestOneBit(Math.max(2, capacity) * 2 - 1);
        this.capacity = capacity;
        this.mask = slots - 1;
        this.maxElements = maxElements;
        this.maxInline = maxInline;
        this.signalAll = signalAll;
        this.inlineBytes = allocator.allocate(Math.max(8L, (long) slots * maxInline), 64);
        this.requests = new long[slots * WORDS];
        this.elements = new long[slots * maxElements * 2];
    }

    /**
     * Takes a chain of requests.
     *
     * @return how many were taken before the queue was full
     */
    int append(SendWorkRequest first) {
        int count = 0;
        long next = tail;
        try {
            for (SendWorkRequest request = first; ; request = request.next()) {
                if (next - freed >= capacity) {
                    return count;
                }
                write((int) next & mask, request);
                next++;
                count++;
                if (!request.hasNext()) {
                    return count;
                }
            }
        } finally {
            // publishes the entries to the turn
            TAIL.setRelease(this, next);
        }
    }

    private void write(int slot, SendWorkRequest request) {
        int opcode = request.opcodeCode();
        int count = request.elementCount();
        int flags = request.flags();
        if (opcode < 0 || opcode > LAST_OPCODE) {
            throw malformed("opcode", Integer.toString(opcode), "0.." + LAST_OPCODE);
        }
        if (count > maxElements) {
            throw malformed("elementCount", Integer.toString(count), "0.." + maxElements);
        }
        int at = slot * WORDS;
        requests[at + ID] = request.id();
        requests[at + LENGTH] = copyElements(slot * maxElements * 2, request, count);
        if ((flags & SendWorkRequest.INLINE) != 0) {
            copyInline(slot, opcode, count);
        }
        int kind = opcode | (signalAll ? flags | SendWorkRequest.SIGNALED : flags) << 8;
        requests[at + KIND_IMMEDIATE] = kind | (long) request.immediate() << 32;
        requests[at + RKEY_COUNT] = (long) count << 32;
        if (opcode != SendOpcode.SEND.code()) {
            writeRemote(at, opcode, request);
        }
    }

    private void writeRemote(int at, int opcode, SendWorkRequest request) {
        boolean isAtomic = opcode >= SendOpcode.COMPARE_AND_SWAP.code();
        requests[at + REMOTE_ADDRESS] = request.remoteAddress();
        requests[at + RKEY_COUNT] |= (isAtomic ? request.atomicRkey() : request.rkey()) & LOW;
        if (isAtomic) {
            requests[at + OPERAND] = request.compareAdd();
            requests[at + SWAP] = request.swap();
        }
    }

    private long copyElements(int first, SendWorkRequest request, int count) {
        long total = 0;
        int at = first;
        for (int i = 0; i < count; i++) {
            ScatterGatherElement element = request.element(i);
            long lengthAndKey = element.lengthAndKey();
            elements[at++] = element.address();
            elements[at++] = lengthAndKey;
            total += lengthAndKey & LOW;
        }
        return total;
    }

    private void copyInline(int slot, int opcode, int count) {
        if (opcode >= SendOpcode.RDMA_READ.code()) {
            throw malformed(
                    "flags",
                    "INLINE with " + SendOpcode.of(opcode),
                    "INLINE with sends and writes");
        }
        if (length(slot) > maxInline) {
            throw malformed("inline length", Long.toString(length(slot)), "0.." + maxInline);
        }
        long to = (long) slot * maxInline;
        for (int i = 0; i < count; i++) {
            int length = elementLength(slot, i);
            boolean isCopied =
                    memory.resolveLocal(
                                    elementKey(slot, i),
                                    elementAddress(slot, i),
                                    length,
                                    false,
                                    inlineSlice)
                            && ByteCopy.tryCopy(
                                    inlineSlice.memory(),
                                    inlineSlice.offset(),
                                    inlineBytes,
                                    to,
                                    length);
            if (!isCopied) {
                throw malformed(
                        "inline element " + i,
                        String.format(Locale.ROOT, "lkey 0x%x", elementKey(slot, i)),
                        "a memory region that covers it: this device reads inline data through it");
            }
            to += length;
        }
    }

    private static VerbsException malformed(String name, String value, String expected) {
        return new VerbsException(
                "ibv_post_send",
                Errno.EINVAL,
                name + ": " + value + " (expected: " + expected + ")");
    }

    /** Pairs with the release in {@link #append}: entries below the result are readable. */
    long tailAcquire() {
        return (long) TAIL.getAcquire(this);
    }

    /** Gives back every slot below an index; called by polling threads, in any order. */
    void free(long index) {
        long seen = freed;
        while (seen < index && !FREED.compareAndSet(this, seen, index)) {
            seen = freed;
        }
    }

    /**
     * Forgets everything; only when nobody posts. Indices go on: a poll that is under way may still
     * free what was posted before, and that must not free anything again.
     */
    void reset() {
        freed = tailAcquire();
    }

    int slot(long index) {
        return (int) index & mask;
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
        return (int) requests[slot * WORDS + RKEY_COUNT];
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

    int elementCount(int slot) {
        return (int) (requests[slot * WORDS + RKEY_COUNT] >>> 32);
    }

    long elementAddress(int slot, int element) {
        return elements[(slot * maxElements + element) * 2];
    }

    int elementLength(int slot, int element) {
        return (int) elements[(slot * maxElements + element) * 2 + 1];
    }

    int elementKey(int slot, int element) {
        return (int) (elements[(slot * maxElements + element) * 2 + 1] >>> 32);
    }

    MemorySegment inlineBytes() {
        return inlineBytes;
    }

    long inlineOffset(int slot) {
        return (long) slot * maxInline;
    }

    /** The ring position behind the request's last frame; set by the requester. */
    void end(int slot, long position) {
        requests[slot * WORDS + END] = position;
    }

    long end(int slot) {
        return requests[slot * WORDS + END];
    }
}
