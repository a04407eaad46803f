// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;

/**
 * Takes send requests in order and emits their frames. Runs inside the queue pair's turn.
 *
 * <p>A message that fits travels in one frame. A longer one is split into parts; a part that finds
 * no room waits for the next turn.
 */
final class Requester {
    private static final int READ = SendOpcode.RDMA_READ.code();
    private static final int COMPARE_AND_SWAP = SendOpcode.COMPARE_AND_SWAP.code();
    private static final int[] KINDS = {
        FrameKind.WRITE,
        FrameKind.WRITE,
        FrameKind.SEND,
        FrameKind.SEND,
        FrameKind.READ,
        FrameKind.COMPARE_AND_SWAP,
        FrameKind.FETCH_AND_ADD
    };

    private final SendQueue queue;
    private final DomainMemory memory;
    private final ElementCursor cursor;
    private final MemorySlice slice = new MemorySlice();
    private Completer completer;
    private Outbound wire;
    private int maxReadAtomic;
    private int outstandingReads;
    private long next;
    private long offset;
    private WorkCompletionStatus failure = WorkCompletionStatus.SUCCESS;

    Requester(SendQueue queue, DomainMemory memory) {
        this.queue = queue;
        this.memory = memory;
        this.cursor = new ElementCursor(memory, queue);
    }

    /** Sets the completer, which takes acknowledgements and so makes room on the wire. */
    void completer(Completer theCompleter) {
        completer = theCompleter;
    }

    /** Starts a connection: from now on frames can be published. */
    void open(Outbound outbound) {
        wire = outbound;
    }

    void maxReadAtomic(int value) {
        maxReadAtomic = value;
    }

    /** Forgets requests, connection and failure. */
    void reset() {
        wire = null;
        next = queue.tailAcquire();
        offset = 0;
        outstandingReads = 0;
        failure = WorkCompletionStatus.SUCCESS;
    }

    /** {@return the index of the first request whose frames are not all published} */
    long next() {
        return next;
    }

    /** {@return whether the request at {@link #next()} is partly published} */
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

    /** Asks the responder to acknowledge everything sent so far, if there is room to ask. */
    void requestAcknowledgement() {
        if (!wire.tryRequestAcknowledgement()) {
            completer.retire();
            wire.tryRequestAcknowledgement();
        }
    }

    /** Emits the rest of a partly published message; {@return whether anything was published} */
    boolean emitCurrent() {
        long before = wire.position();
        int slot = queue.slot(next);
        if (emitMessage(slot)) {
            finish(slot);
        }
        return wire.position() != before;
    }

    /** Emits what can be emitted; {@return whether anything was published} */
    boolean emit() {
        long tail = queue.tailAcquire();
        long before = wire.position();
        while (next < tail && failure == WorkCompletionStatus.SUCCESS) {
            int slot = queue.slot(next);
            if (offset == 0 && !mayStart(slot) || !emitMessage(slot)) {
                break;
            }
            finish(slot);
        }
        return wire.position() != before;
    }

    private void finish(int slot) {
        queue.end(slot, wire.position());
        offset = 0;
        next++;
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
        return length <= wire.maxPayload()
                ? emitShort(slot, opcode, length)
                : emitLong(slot, opcode, length);
    }

    private boolean emitShort(int slot, int opcode, int length) {
        if (!claim(length)) {
            return false;
        }
        if ((queue.flags(slot) & SendWorkRequest.INLINE) != 0) {
            ByteCopy.copy(
                    queue.inlineBytes(),
                    queue.inlineOffset(slot),
                    wire.payload(),
                    wire.payloadOffset(),
                    length);
        } else if (!gather(slot, wire.payload(), wire.payloadOffset())) {
            return fail(WorkCompletionStatus.LOCAL_PROTECTION);
        }
        publish(slot, opcode, length, true);
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
        if (offset == 0) {
            cursor.startWriting(slot);
            if (!cursor.isAccessible()) {
                return fail(WorkCompletionStatus.LOCAL_PROTECTION);
            }
        }
        if (length > wire.maxPayload()) {
            if (!emitParts(slot, opcode, length)) {
                return false;
            }
        } else if (opcode == READ ? claim(length) : claimAtomic(slot)) {
            publish(slot, opcode, length, true);
        } else {
            return false;
        }
        outstandingReads++;
        return true;
    }

    private boolean emitLong(int slot, int opcode, int length) {
        if (offset == 0) {
            cursor.startReading(slot);
            if (!cursor.isAccessible()) {
                return fail(WorkCompletionStatus.LOCAL_PROTECTION);
            }
        }
        return emitParts(slot, opcode, length);
    }

    private boolean emitParts(int slot, int opcode, int length) {
        long readIndex = opcode == READ ? next : -1;
        while (offset < length) {
            int part = claimPart((int) (length - offset), readIndex);
            if (part == Outbound.BLOCKED) {
                return false;
            }
            if (part == Outbound.LOST) {
                return fail(WorkCompletionStatus.LOCAL_PROTECTION);
            }
            publish(slot, opcode, part, offset + part == length);
            offset += part;
        }
        return true;
    }

    private boolean claim(int payloadBytes) {
        if (wire.tryClaim(payloadBytes)) {
            return true;
        }
        completer.retire();
        return wire.tryClaim(payloadBytes);
    }

    private boolean claimAtomic(int slot) {
        if (wire.tryClaimAtomic(queue.operand(slot), queue.swap(slot))) {
            return true;
        }
        completer.retire();
        return wire.tryClaimAtomic(queue.operand(slot), queue.swap(slot));
    }

    private int claimPart(int left, long readIndex) {
        int part = wire.tryClaimPart(cursor, offset, left, readIndex);
        if (part != Outbound.BLOCKED) {
            return part;
        }
        completer.retire();
        return wire.tryClaimPart(cursor, offset, left, readIndex);
    }

    private void publish(int slot, int opcode, int part, boolean isLast) {
        wire.target(queue.remoteAddress(slot) + offset, queue.rkey(slot), queue.length(slot));
        int flags = (offset == 0 ? FrameFlag.FIRST : 0) | (isLast ? lastFlags(slot, opcode) : 0);
        wire.publish(KINDS[opcode], flags, queue.immediate(slot), part);
    }

    private int lastFlags(int slot, int opcode) {
        int requestFlags = queue.flags(slot);
        int flags = FrameFlag.LAST;
        if ((requestFlags & SendWorkRequest.SIGNALED) != 0 || opcode >= READ) {
            flags |= FrameFlag.ACK_REQUEST;
        }
        if (opcode == SendOpcode.SEND_WITH_IMMEDIATE.code()
                || opcode == SendOpcode.RDMA_WRITE_WITH_IMMEDIATE.code()) {
            flags |= FrameFlag.IMMEDIATE;
        }
        if ((requestFlags & SendWorkRequest.SOLICITED) != 0) {
            flags |= FrameFlag.SOLICITED;
        }
        return flags;
    }
}
