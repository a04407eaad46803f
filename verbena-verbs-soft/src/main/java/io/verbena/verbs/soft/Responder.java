// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.soft.RingLayout.FLAG_FIRST;
import static io.verbena.verbs.soft.RingLayout.FLAG_IMMEDIATE;
import static io.verbena.verbs.soft.RingLayout.FLAG_LAST;
import static io.verbena.verbs.soft.RingLayout.FLAG_SOLICITED;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;

/**
 * Takes frames in order, checks them against keys, bounds and rights, places or fetches data, and
 * answers. Works inside the queue pair's turn.
 *
 * <p>The order of the checks is RoCE's: sequence, rights of the queue pair, a receive if one is
 * needed, the remote key, then the work itself. A frame that cannot be executed because no receive
 * is posted stays in the ring; the sender is told, and says when to try again.
 */
final class Responder {
    static final int MAX_FRAMES = 64;
    private static final int MAX_BYTES = 1 << 20;

    private final QueuePairEngine engine;
    private final Completer completer;
    private final DomainMemory memory;
    private final ReceiveQueue receives;
    private final Frame frame = new Frame();
    private final ReceiveCursor cursor;
    private final MemorySlice target = new MemorySlice();
    private Wire wire = Wire.NONE;
    private ReceiveRing ring;
    private Peer peer;
    private int access;
    private int maxReadAtomic;
    private int minRnrTimer;
    private int message;
    private long placed;
    private int refusals;
    private boolean isPaused;
    private boolean isAcknowledgeRequested;

    Responder(
            QueuePairEngine engine,
            ReceiveQueue receives,
            Completer completer,
            DomainMemory memory) {
        this.engine = engine;
        this.receives = receives;
        this.completer = completer;
        this.memory = memory;
        this.cursor = new ReceiveCursor(memory, receives);
    }

    void settings(int accessBits, int maxDestinationReadAtomic, int rnrTimer) {
        access = accessBits;
        maxReadAtomic = maxDestinationReadAtomic;
        minRnrTimer = rnrTimer;
    }

    void attach(Wire attached) {
        wire = attached;
        ring = attached.receive();
        peer = attached.peer();
    }

    void reset() {
        wire = Wire.NONE;
        ring = null;
        peer = null;
        message = 0;
        isPaused = false;
        isAcknowledgeRequested = false;
    }

    boolean isAttached() {
        return ring != null;
    }

    /** {@return whether a frame waits or an answer is owed; a hint for pollers outside the turn} */
    boolean looksReady() {
        ReceiveRing receive = ring;
        return receive != null && (receive.looksReady() || receive.unacknowledged() > 0);
    }

    /** Executes frames; {@return how many, {@link #MAX_FRAMES} if there may be more} */
    int drain() {
        if (isPaused && ring.rnrRetryAcquire() != (refusals & 0xFFFF)) {
            return 0;
        }
        isPaused = false;
        int frames = 0;
        int bytes = 0;
        while (frames < MAX_FRAMES && bytes < MAX_BYTES) {
            long word = ring.nextAcquire();
            if (word == 0) {
                return frames;
            }
            if (!frame.read(word, ring)) {
                violation();
                return frames;
            }
            if (frame.kind() != RingLayout.KIND_PAD) {
                completer.piggyback(frame.acknowledged());
                if (engine.isFailed() || !execute()) {
                    return frames;
                }
            }
            isAcknowledgeRequested |= frame.has(RingLayout.FLAG_ACK_REQUEST);
            ring.advance(frame.slots());
            frames++;
            bytes += frame.length();
        }
        return MAX_FRAMES;
    }

    private boolean execute() {
        return switch (frame.kind()) {
            case RingLayout.KIND_SEND -> onSend();
            case RingLayout.KIND_WRITE -> onWrite();
            case RingLayout.KIND_READ -> onRead();
            case RingLayout.KIND_COMPARE_AND_SWAP, RingLayout.KIND_FETCH_AND_ADD -> onAtomic();
            default -> violation();
        };
    }

    private boolean onSend() {
        if (!isInSequence(RingLayout.KIND_SEND)) {
            return violation();
        }
        if (frame.has(FLAG_FIRST)) {
            if (receives.isEmpty()) {
                return notReady();
            }
            cursor.start(receives.headSlot());
            if (frame.messageLength() > receives.room(receives.headSlot())) {
                failReceive(WorkCompletionStatus.LOCAL_LENGTH);
                return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
            }
        }
        boolean isPlaced = frame.copyTo(cursor, peer);
        if (frame.isDescribed() && ring.isClosedAfterCopy()) {
            return false;
        }
        if (!isPlaced) {
            failReceive(WorkCompletionStatus.LOCAL_PROTECTION);
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        return finish(RingLayout.KIND_SEND, WorkCompletionOpcode.RECEIVE.code());
    }

    private boolean onWrite() {
        if (!isInSequence(RingLayout.KIND_WRITE)) {
            return violation();
        }
        if ((access & AccessFlag.REMOTE_WRITE.bit()) == 0) {
            return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
        }
        boolean needsReceive = frame.has(FLAG_LAST) && frame.has(FLAG_IMMEDIATE);
        if (needsReceive && receives.isEmpty()) {
            return notReady();
        }
        if (!mayAccess(AccessFlag.REMOTE_WRITE)) {
            if (needsReceive) {
                failReceive(WorkCompletionStatus.LOCAL_ACCESS);
            }
            return refuse(Syndrome.REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERROR);
        }
        boolean isPlaced = frame.copyTo(target, peer);
        if (frame.isDescribed() && ring.isClosedAfterCopy()) {
            return false;
        }
        if (!isPlaced) {
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        return finish(
                RingLayout.KIND_WRITE, WorkCompletionOpcode.RECEIVE_RDMA_WITH_IMMEDIATE.code());
    }

    private boolean onRead() {
        if (message != 0 && message != RingLayout.KIND_READ) {
            return violation();
        }
        if ((access & AccessFlag.REMOTE_READ.bit()) == 0 || maxReadAtomic == 0) {
            return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
        }
        if (!mayAccess(AccessFlag.REMOTE_READ)) {
            return refuse(Syndrome.REMOTE_ACCESS, AsyncEventType.QP_ACCESS_ERROR);
        }
        if (!frame.copyFrom(target, peer)) {
            if (ring.isClosedAfterCopy()) {
                return false;
            }
            return refuse(Syndrome.REMOTE_OPERATION, AsyncEventType.QP_FATAL);
        }
        message = frame.has(FLAG_LAST) ? 0 : RingLayout.KIND_READ;
        return true;
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
        return frame.has(FLAG_FIRST) ? message == 0 : message == kind;
    }

    /** The whole message must lie inside the region when its first frame comes. */
    private boolean mayAccess(AccessFlag right) {
        if (frame.messageLength() == 0) {
            target.set(MemorySegment.NULL, 0);
            return true;
        }
        long length = frame.has(FLAG_FIRST) ? frame.messageLength() : frame.length();
        return memory.resolveRemote(
                frame.rkey(), frame.remoteAddress(), length, right.bit(), target);
    }

    private boolean finish(int kind, int opcode) {
        placed = frame.has(FLAG_FIRST) ? frame.length() : placed + frame.length();
        if (!frame.has(FLAG_LAST)) {
            message = kind;
            return true;
        }
        message = 0;
        if (placed != frame.messageLength()) {
            return violation();
        }
        boolean hasImmediate = frame.has(FLAG_IMMEDIATE);
        if (kind == RingLayout.KIND_SEND || hasImmediate) {
            int kindWord =
                    CompletionRing.kind(
                            WorkCompletionStatus.SUCCESS.code(), opcode, hasImmediate ? 2 : 0);
            completeReceive(kindWord, (int) frame.messageLength(), frame.has(FLAG_SOLICITED));
        }
        return true;
    }

    private void completeReceive(int kind, int length, boolean isSolicited) {
        long id = receives.id(receives.headSlot());
        receives.remove();
        engine.completions().pushReceive(id, kind, length, frame.immediate(), isSolicited);
    }

    private void failReceive(WorkCompletionStatus status) {
        completeReceive(
                CompletionRing.kind(status.code(), WorkCompletionOpcode.RECEIVE.code(), 0),
                0,
                true);
    }

    private boolean notReady() {
        refusals++;
        isPaused = true;
        isAcknowledgeRequested = true;
        ring.refuseRelease(refusals, Syndrome.RNR | minRnrTimer);
        ringAcknowledgeBell();
        return false;
    }

    private boolean violation() {
        return refuse(Syndrome.INVALID_REQUEST, AsyncEventType.QP_REQUEST_ERROR);
    }

    private boolean refuse(int syndrome, AsyncEventType event) {
        refusals++;
        ring.refuseRelease(refusals, syndrome);
        isAcknowledgeRequested = true;
        engine.failReceive(event);
        return false;
    }

    /** {@return what to send along with a frame of the other direction} */
    int piggyback() {
        if (ring == null) {
            return 0;
        }
        // what the peer waits for is stored too: this frame may have to wait behind others
        return isAcknowledgeRequested ? (int) ring.head() : ring.piggyback();
    }

    /**
     * Publishes what was executed.
     *
     * @param isEager whether to do so at once even if nobody waits for it, rather than leave it to
     *     a frame that may follow
     */
    void acknowledge(boolean isEager) {
        long owed = ring.unacknowledged();
        if (owed == 0 || !isEager && !isAcknowledgeRequested && owed < RingLayout.SLOTS / 4) {
            return;
        }
        ring.acknowledgeRelease();
        ringAcknowledgeBell();
    }

    private void ringAcknowledgeBell() {
        if (isAcknowledgeRequested) {
            isAcknowledgeRequested = false;
            wire.ringForAcknowledgements();
        }
    }

    /**
     * Stops for good: the sender's requests will never be answered.
     *
     * @param isRefused whether the sender was told a better reason already
     */
    void close(boolean isRefused) {
        if (ring == null) {
            return;
        }
        if (!isRefused) {
            refusals++;
            ring.refuseRelease(refusals, Syndrome.GONE);
        }
        ring.detachRelease();
        wire.ringForAcknowledgements();
    }

    /** Consumes every posted receive without data. */
    void flush() {
        while (!receives.isEmpty()) {
            completeReceive(
                    CompletionRing.kind(
                            WorkCompletionStatus.WORK_REQUEST_FLUSHED.code(),
                            WorkCompletionOpcode.RECEIVE.code(),
                            0),
                    0,
                    true);
        }
    }

    /** Lets go of a ring whose sender has given it up; what was in it is void. */
    void detach() {
        ring.detachRelease();
        ring = null;
        wire.ringForAcknowledgements();
    }

    /** {@return whether the sender has given up its ring} */
    boolean isSenderClosed() {
        return ring.isClosedAfterCopy();
    }
}
