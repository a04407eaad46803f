// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;

/**
 * Takes frames in order, checks them against keys, bounds and permissions, places or fetches data,
 * and answers. Runs inside the queue pair's turn.
 *
 * <p>The order of the checks is RoCE's: sequence, permissions of the queue pair, a receive if one
 * is needed, the remote key, then the work itself. A frame that cannot be executed because no
 * receive is posted stays on the wire; the sender is notified, and says when to try again.
 */
final class Responder {
    static final int MAX_FRAMES = 64;
    private static final int MAX_BYTES = 1 << 20;

    private final QueuePairEngine engine;
    private final Completer completer;
    private final DomainMemory memory;
    private final ReceiveQueue receives;
    private final ElementCursor cursor;
    private final MemorySlice target = new MemorySlice();
    private Inbound wire;
    private InboundFrame frame;
    private int access;
    private int maxReadAtomic;
    private int minRnrTimer;
    private int message;
    private long placed;

    Responder(
            QueuePairEngine engine,
            ReceiveQueue receives,
            Completer completer,
            DomainMemory memory) {
        this.engine = engine;
        this.receives = receives;
        this.completer = completer;
        this.memory = memory;
        this.cursor = new ElementCursor(memory, receives);
    }

    void settings(int accessBits, int maxDestinationReadAtomic, int rnrTimer) {
        access = accessBits;
        maxReadAtomic = maxDestinationReadAtomic;
        minRnrTimer = rnrTimer;
    }

    /** Starts taking frames. */
    void attach(Inbound inbound) {
        frame = inbound.frame();
        wire = inbound;
    }

    void reset() {
        wire = null;
        message = 0;
    }

    boolean isAttached() {
        return wire != null;
    }

    /** {@return whether a frame waits or an answer is due; a hint for pollers outside the turn} */
    boolean looksReady() {
        Inbound inbound = wire;
        return inbound != null && inbound.looksReady();
    }

    /** Executes frames; {@return how many, {@link #MAX_FRAMES} if there may be more} */
    int drain() {
        int frames = 0;
        int bytes = 0;
        while (frames < MAX_FRAMES && bytes < MAX_BYTES) {
            if (!wire.pollFrame()) {
                return frames;
            }
            if (!frame.isWellFormed()) {
                violation();
                return frames;
            }
            if (frame.kind() != FrameKind.PAD) {
                completer.piggyback(frame.acknowledged());
                if (engine.isFailed() || !execute()) {
                    return frames;
                }
            }
            wire.done();
            frames++;
            bytes += frame.length();
        }
        return MAX_FRAMES;
    }

    private boolean execute() {
        return switch (frame.kind()) {
            case FrameKind.SEND -> onSend();
            case FrameKind.WRITE -> onWrite();
            case FrameKind.READ -> onRead();
            case FrameKind.COMPARE_AND_SWAP, FrameKind.FETCH_AND_ADD -> onAtomic();
            default -> violation();
        };
    }

    private boolean onSend() {
        if (!isInSequence(FrameKind.SEND)) {
            return violation();
        }
        if (frame.has(FrameFlag.FIRST)) {
            if (receives.isEmpty()) {
                return notReady();
            }
            cursor.startWriting(receives.headSlot());
            if (frame.messageLength() > receives.room(receives.headSlot())) {
                failReceive(WorkCompletionStatus.LOCAL_LENGTH);
                return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
            }
        }
        boolean isPlaced = frame.copyTo(cursor);
        if (frame.isDescribed() && wire.isGivenUp()) {
            return false;
        }
        if (!isPlaced) {
            failReceive(WorkCompletionStatus.LOCAL_PROTECTION);
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        return finish(FrameKind.SEND, WorkCompletionOpcode.RECEIVE.code());
    }

    private boolean onWrite() {
        if (!isInSequence(FrameKind.WRITE)) {
            return violation();
        }
        if ((access & AccessFlag.REMOTE_WRITE.bit()) == 0) {
            return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
        }
        boolean needsReceive = frame.has(FrameFlag.LAST) && frame.has(FrameFlag.IMMEDIATE);
        if (needsReceive && receives.isEmpty()) {
            return notReady();
        }
        if (!mayAccess(AccessFlag.REMOTE_WRITE)) {
            if (needsReceive) {
                failReceive(WorkCompletionStatus.LOCAL_ACCESS);
            }
            return refuse(Syndrome.REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERROR);
        }
        boolean isPlaced = frame.copyTo(target);
        if (frame.isDescribed() && wire.isGivenUp()) {
            return false;
        }
        if (!isPlaced) {
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        return finish(FrameKind.WRITE, WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE.code());
    }

    private boolean onRead() {
        if (message != 0 && message != FrameKind.READ) {
            return violation();
        }
        if ((access & AccessFlag.REMOTE_READ.bit()) == 0 || maxReadAtomic == 0) {
            return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
        }
        if (!mayAccess(AccessFlag.REMOTE_READ)) {
            return refuse(Syndrome.REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERROR);
        }
        // a process that was stopped until the requester gave up must not write there any more
        if (frame.isDescribed() ? !wire.tryBeginAnswer() : wire.isGivenUp()) {
            return false;
        }
        if (!answer()) {
            if (wire.isGivenUp()) {
                return false;
            }
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        message = frame.has(FrameFlag.LAST) ? 0 : FrameKind.READ;
        return true;
    }

    /** {@return whether the answer to a read is where it belongs} */
    private boolean answer() {
        try {
            return frame.copyFrom(target);
        } finally {
            if (frame.isDescribed()) {
                wire.endAnswer();
            }
        }
    }

    private boolean onAtomic() {
        if (message != 0) {
            return violation();
        }
        if ((access & AccessFlag.REMOTE_ATOMIC.bit()) == 0
                || maxReadAtomic == 0
                || (frame.remoteAddress() & 7) != 0) {
            return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
        }
        if (!memory.resolveRemote(
                frame.rkey(),
                frame.remoteAddress(),
                Long.BYTES,
                AccessFlag.REMOTE_ATOMIC.bit(),
                target)) {
            return refuse(Syndrome.REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERROR);
        }
        frame.executeAtomic(target);
        return true;
    }

    private boolean isInSequence(int kind) {
        return frame.has(FrameFlag.FIRST) ? message == 0 : message == kind;
    }

    /** The whole message must lie inside the region when its first frame comes. */
    private boolean mayAccess(AccessFlag right) {
        if (frame.messageLength() == 0) {
            target.set(MemorySegment.NULL, 0);
            return true;
        }
        long length = frame.has(FrameFlag.FIRST) ? frame.messageLength() : frame.length();
        return memory.resolveRemote(
                frame.rkey(), frame.remoteAddress(), length, right.bit(), target);
    }

    private boolean finish(int kind, int opcode) {
        placed = frame.has(FrameFlag.FIRST) ? frame.length() : placed + frame.length();
        if (!frame.has(FrameFlag.LAST)) {
            message = kind;
            return true;
        }
        message = 0;
        if (placed != frame.messageLength()) {
            return violation();
        }
        if (kind == FrameKind.SEND || frame.has(FrameFlag.IMMEDIATE)) {
            completeReceive(opcode);
        }
        return true;
    }

    private void completeReceive(int opcode) {
        long id = receives.id(receives.headSlot());
        receives.remove();
        int flags = frame.has(FrameFlag.IMMEDIATE) ? WorkCompletion.WITH_IMMEDIATE : 0;
        engine.completions()
                .pushReceive(
                        id,
                        CompletionRing.kind(WorkCompletionStatus.SUCCESS.code(), opcode, flags),
                        (int) frame.messageLength(),
                        frame.immediate(),
                        frame.has(FrameFlag.SOLICITED));
    }

    /** Consumes the oldest receive without data. */
    private void failReceive(WorkCompletionStatus status) {
        long id = receives.id(receives.headSlot());
        receives.remove();
        int kind = CompletionRing.kind(status.code(), WorkCompletionOpcode.RECEIVE.code(), 0);
        engine.completions().pushReceive(id, kind, 0, 0, true);
    }

    private boolean notReady() {
        wire.pause(minRnrTimer);
        return false;
    }

    private boolean violation() {
        return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
    }

    private boolean refuse(int syndrome, AsyncEventType event) {
        wire.refuse(syndrome);
        engine.failReceive(event);
        return false;
    }

    /** Publishes how far frames were executed, see {@link Inbound#acknowledge}. */
    void acknowledge(boolean isEager) {
        wire.acknowledge(isEager);
    }

    /**
     * Stops for good: the sender's requests will never be answered.
     *
     * @param isRefused whether the sender already got a more specific reason
     */
    void close(boolean isRefused) {
        if (wire == null) {
            return;
        }
        if (!isRefused) {
            wire.refuse(Syndrome.GONE);
        }
        // once: behind it, the ring may be somebody else's
        detach();
    }

    /** Consumes every posted receive without data. */
    void flush() {
        while (!receives.isEmpty()) {
            failReceive(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        }
    }

    /** Releases what the sender has given up; frames that were not executed are void. */
    void detach() {
        Inbound left = wire;
        wire = null;
        left.detach();
    }

    /** {@return whether the sender has given up what it sent} */
    boolean isSenderGone() {
        return wire.isGivenUp();
    }
}
