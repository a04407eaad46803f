// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.soft.RawMemory.ALL;
import static io.verbena.verbs.soft.RingLayout.FLAG_ACK_REQUEST;
import static io.verbena.verbs.soft.RingLayout.FLAG_FIRST;
import static io.verbena.verbs.soft.RingLayout.FLAG_IMMEDIATE;
import static io.verbena.verbs.soft.RingLayout.FLAG_LAST;
import static io.verbena.verbs.soft.RingLayout.FLAG_SOLICITED;

import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Takes send requests in order and emits their frames. Works inside the queue pair's turn.
 *
 * <p>A short message travels inside its frame. A long one is described: the frame says where its
 * bytes are (or, for a read, where they should go) and the responder copies them once. Memory the
 * peer cannot reach goes through {@link Staging}, a chunk per frame.
 */
final class Requester {
    private static final int BLOCKED = -1;
    private static final int READ = SendOpcode.RDMA_READ.code();
    private static final int COMPARE_AND_SWAP = SendOpcode.COMPARE_AND_SWAP.code();
    private static final int[] KINDS = {
        RingLayout.KIND_WRITE,
        RingLayout.KIND_WRITE,
        RingLayout.KIND_SEND,
        RingLayout.KIND_SEND,
        RingLayout.KIND_READ,
        RingLayout.KIND_COMPARE_AND_SWAP,
        RingLayout.KIND_FETCH_AND_ADD
    };

    private final QueuePairEngine engine;
    private final SendQueue queue;
    private final DomainMemory memory;
    private final ElementCursor cursor;
    private final MemorySlice slice = new MemorySlice();
    private Completer completer;
    private Responder responder;
    private TransmitRing ring;
    private Peer peer;
    private Staging staging;
    private int maxReadAtomic;
    private int outstandingReads;
    private long next;
    private long offset;
    private WorkCompletionStatus failure = WorkCompletionStatus.SUCCESS;

    Requester(QueuePairEngine engine, SendQueue queue, DomainMemory memory) {
        this.engine = engine;
        this.queue = queue;
        this.memory = memory;
        this.cursor = new ElementCursor(memory);
    }

    /** Makes the other two roles known. */
    void roles(Completer theCompleter, Responder theResponder) {
        completer = theCompleter;
        responder = theResponder;
    }

    /** Starts a connection: from now on frames can be published. */
    void open(TransmitRing transmitRing, Peer to) {
        ring = transmitRing;
        peer = to;
    }

    void maxReadAtomic(int value) {
        maxReadAtomic = value;
    }

    /** Forgets requests, connection and failure. */
    void reset() {
        ring = null;
        peer = null;
        next = queue.tailAcquire();
        offset = 0;
        outstandingReads = 0;
        failure = WorkCompletionStatus.SUCCESS;
    }

    /** {@return the index of the first request whose frames are not all published} */
    long next() {
        return next;
    }

    /** {@return whether the request at {@link #next()} is published in part} */
    boolean isMidMessage() {
        return offset > 0;
    }

    /** {@return why the request at {@link #next()} cannot be sent, or SUCCESS} */
    WorkCompletionStatus failure() {
        return failure;
    }

    int outstandingReads() {
        return outstandingReads;
    }

    void readDone() {
        outstandingReads--;
    }

    /** Gives the staging memory back; the peer may still be writing what it was asked to read. */
    void releaseStaging(SharedBlocks pool, Wire wire) {
        if (staging != null) {
            pool.giveBackWhenDetached(staging.block(), wire);
            staging = null;
        }
    }

    /** Asks the responder to acknowledge all that was sent so far. */
    void requestAcknowledgement() {
        long at = claim(1);
        if (at >= 0) {
            ring.publish(at, RingLayout.header(RingLayout.KIND_PAD, FLAG_ACK_REQUEST, 1, 0), 1);
        }
    }

    /** Emits the rest of a message of which some was published; {@return whether any was} */
    boolean emitCurrent() {
        long before = ring.tail();
        int slot = queue.slot(next);
        if (emitMessage(slot)) {
            queue.end(slot, ring.tail());
            offset = 0;
            next++;
        }
        return ring.tail() != before;
    }

    Staging staging() {
        return staging;
    }

    /** Emits what can be emitted; {@return whether anything was published} */
    boolean emit() {
        long tail = queue.tailAcquire();
        long before = ring.tail();
        while (next < tail && failure == WorkCompletionStatus.SUCCESS) {
            int slot = queue.slot(next);
            if (offset == 0 && !mayStart(slot) || !emitMessage(slot)) {
                break;
            }
            queue.end(slot, ring.tail());
            offset = 0;
            next++;
        }
        return ring.tail() != before;
    }

    private boolean mayStart(int slot) {
        int opcode = queue.opcode(slot);
        if ((queue.flags(slot) & SendWorkRequest.FENCE) != 0 && outstandingReads > 0) {
            return false;
        }
        if (queue.length(slot) > SoftLimits.MAX_MESSAGE) {
            return fail(WorkCompletionStatus.LOCAL_LENGTH);
        }
        if (opcode < READ) {
            return true;
        }
        if (maxReadAtomic == 0) {
            return fail(WorkCompletionStatus.LOCAL_QP_OPERATION);
        }
        if (opcode >= COMPARE_AND_SWAP && queue.length(slot) != Long.BYTES) {
            return fail(WorkCompletionStatus.LOCAL_LENGTH);
        }
        return outstandingReads < maxReadAtomic;
    }

    private boolean fail(WorkCompletionStatus status) {
        failure = status;
        return false;
    }

    private boolean emitMessage(int slot) {
        int opcode = queue.opcode(slot);
        int length = (int) queue.length(slot);
        if (opcode >= READ) {
            return emitRead(slot, opcode, length);
        }
        return length <= RingLayout.MAX_PAYLOAD
                ? emitShort(slot, opcode, length)
                : emitLong(slot, opcode, length);
    }

    private boolean emitShort(int slot, int opcode, int length) {
        int slots = RingLayout.slotsFor(length);
        long at = claim(slots);
        if (at < 0) {
            return false;
        }
        if ((queue.flags(slot) & SendWorkRequest.INLINE) != 0) {
            ByteCopy.copy(
                    queue.inlineBytes(),
                    queue.inlineOffset(slot),
                    ALL,
                    at + RingLayout.PAYLOAD,
                    length);
        } else if (!gather(slot, ALL, at + RingLayout.PAYLOAD)) {
            return fail(WorkCompletionStatus.LOCAL_PROTECTION);
        }
        publish(slot, opcode, at, slots, 0, length, true);
        return true;
    }

    private boolean gather(int slot, MemorySegment to, long at) {
        long target = at;
        int count = queue.elementCount(slot);
        for (int i = 0; i < count; i++) {
            int length = queue.elementLength(slot, i);
            boolean isRead =
                    memory.resolveLocal(
                                    queue.elementKey(slot, i),
                                    queue.elementAddress(slot, i),
                                    length,
                                    false,
                                    slice)
                            && ByteCopy.tryCopy(slice.memory(), slice.offset(), to, target, length);
            if (!isRead) {
                return false;
            }
            target += length;
        }
        return true;
    }

    private boolean emitRead(int slot, int opcode, int length) {
        if (offset == 0 && !cursor.start(queue, slot, true)) {
            return fail(WorkCompletionStatus.LOCAL_PROTECTION);
        }
        boolean isShort = length <= RingLayout.MAX_PAYLOAD;
        if (isShort) {
            int slots = opcode == READ ? RingLayout.slotsFor(length) : 1;
            long at = claim(slots);
            if (at < 0) {
                return false;
            }
            if (opcode != READ) {
                ALL.set(ValueLayout.JAVA_LONG, at + RingLayout.ATOMIC_OPERAND, queue.operand(slot));
                ALL.set(ValueLayout.JAVA_LONG, at + RingLayout.ATOMIC_SWAP, queue.swap(slot));
            }
            publish(slot, opcode, at, slots, 0, length, true);
        } else if (!emitParts(slot, opcode, length)) {
            return false;
        }
        outstandingReads++;
        return true;
    }

    private boolean emitLong(int slot, int opcode, int length) {
        if (offset == 0 && !cursor.start(queue, slot, false)) {
            return fail(WorkCompletionStatus.LOCAL_PROTECTION);
        }
        return emitParts(slot, opcode, length);
    }

    private boolean emitParts(int slot, int opcode, int length) {
        while (offset < length) {
            int part =
                    cursor.isDescribable(peer)
                            ? describePart(slot, opcode, length)
                            : stagePart(slot, opcode, length);
            if (part == BLOCKED) {
                return false;
            }
            offset += part;
        }
        return true;
    }

    private int describePart(int slot, int opcode, int length) {
        long at = claim(RingLayout.slotsFor(RingLayout.MAX_DESCRIPTORS * RingLayout.DESCRIPTOR));
        if (at < 0) {
            return BLOCKED;
        }
        int part = 0;
        int descriptors = 0;
        while (descriptors < RingLayout.MAX_DESCRIPTORS
                && part < RingLayout.MAX_DESCRIBED
                && offset + part < length
                && cursor.isDescribable(peer)) {
            int piece = cursor.describe(peer, RingLayout.MAX_DESCRIBED - part);
            writeDescriptor(
                    at, descriptors++, cursor.describedId(), cursor.describedOffset(), piece);
            part += piece;
        }
        boolean isLast = offset + part == length;
        int slots = RingLayout.slotsFor(descriptors * RingLayout.DESCRIPTOR);
        publish(slot, opcode, at, slots, descriptors, part, isLast);
        return part;
    }

    private int stagePart(int slot, int opcode, int length) {
        if (staging == null) {
            staging = engine.newStaging();
        }
        if (staging.isFull()) {
            completer.retire();
            if (staging.isFull()) {
                return BLOCKED;
            }
        }
        long at = claim(RingLayout.slotsFor(RingLayout.DESCRIPTOR));
        if (at < 0) {
            return BLOCKED;
        }
        int part = (int) Math.min(Staging.CHUNK_BYTES, length - offset);
        long chunk = staging.nextOffset();
        boolean isRead = opcode == READ;
        boolean copied = isRead ? cursor.skip(part) : cursor.read(staging.memory(), chunk, part);
        if (!copied) {
            fail(WorkCompletionStatus.LOCAL_PROTECTION);
            return BLOCKED;
        }
        writeDescriptor(at, 0, staging.block().segment(), chunk, part);
        int slots = RingLayout.slotsFor(RingLayout.DESCRIPTOR);
        staging.take(ring.tail() + slots, part, isRead ? next : -1, offset);
        publish(slot, opcode, at, slots, 1, part, offset + part == length);
        return part;
    }

    private long claim(int slots) {
        long at = ring.claim(slots);
        if (at < 0) {
            completer.retire();
            at = ring.claim(slots);
        }
        return at;
    }

    private void writeDescriptor(long at, int index, int id, long start, int length) {
        long descriptor = at + RingLayout.PAYLOAD + (long) index * RingLayout.DESCRIPTOR;
        ALL.set(ValueLayout.JAVA_LONG, descriptor, start);
        ALL.set(ValueLayout.JAVA_INT, descriptor + 8, length);
        ALL.set(ValueLayout.JAVA_INT, descriptor + 12, id);
    }

    private void publish(
            int slot, int opcode, long at, int slots, int descriptors, int part, boolean isLast) {
        long immediate = (long) queue.immediate(slot) << 32;
        ALL.set(
                ValueLayout.JAVA_LONG,
                at + RingLayout.ACK_IMMEDIATE,
                responder.piggyback() & 0xFFFF_FFFFL | immediate);
        ALL.set(
                ValueLayout.JAVA_LONG,
                at + RingLayout.REMOTE_ADDRESS,
                queue.remoteAddress(slot) + offset);
        ALL.set(
                ValueLayout.JAVA_LONG,
                at + RingLayout.RKEY_LENGTH,
                queue.rkey(slot) & 0xFFFF_FFFFL | queue.length(slot) << 32);
        ALL.set(ValueLayout.JAVA_INT, at + RingLayout.FRAME_LENGTH, part);
        int flags = (offset == 0 ? FLAG_FIRST : 0) | (isLast ? lastFlags(slot, opcode) : 0);
        boolean isStaged = descriptors > 0 && !peer.isLocal() && staging != null;
        if (isStaged || descriptors > 0 && opcode >= READ || ring.needsAcknowledgement()) {
            flags |= FLAG_ACK_REQUEST;
        }
        ring.publish(at, RingLayout.header(KINDS[opcode], flags, slots, descriptors), slots);
    }

    private int lastFlags(int slot, int opcode) {
        int requestFlags = queue.flags(slot);
        int flags = FLAG_LAST;
        if ((requestFlags & SendWorkRequest.SIGNALED) != 0 || opcode >= READ) {
            flags |= FLAG_ACK_REQUEST;
        }
        if (opcode == SendOpcode.SEND_WITH_IMMEDIATE.code()
                || opcode == SendOpcode.RDMA_WRITE_WITH_IMMEDIATE.code()) {
            flags |= FLAG_IMMEDIATE;
        }
        if ((requestFlags & SendWorkRequest.SOLICITED) != 0) {
            flags |= FLAG_SOLICITED;
        }
        return flags;
    }
}
