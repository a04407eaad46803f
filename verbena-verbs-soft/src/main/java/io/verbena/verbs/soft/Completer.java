// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * Takes acknowledgements, retires send requests in order and makes their completions. Works inside
 * the queue pair's turn.
 */
final class Completer {
    private static final int[] OPCODES = {
        WorkCompletionOpcode.RDMA_WRITE.code(),
        WorkCompletionOpcode.RDMA_WRITE.code(),
        WorkCompletionOpcode.SEND.code(),
        WorkCompletionOpcode.SEND.code(),
        WorkCompletionOpcode.RDMA_READ.code(),
        WorkCompletionOpcode.COMPARE_AND_SWAP.code(),
        WorkCompletionOpcode.FETCH_AND_ADD.code()
    };
    private static final int RNR_FOREVER = 7;

    /** How long a failed queue pair waits for its peer to stop answering reads. */
    private static final long FLUSH_WAIT_NS = 500_000_000;

    private final QueuePairEngine engine;
    private final SendQueue queue;
    private final Requester requester;
    private final ElementCursor cursor;
    private TransmitRing ring;
    private long done;
    private long piggybacked;
    private long seenNegative;
    private int rnrRetry;
    private int rnrLeft;
    private int rnrNumber;
    private volatile long rnrDeadlineNs = QueuePairEngine.NEVER;
    private boolean isPeerGone;
    private volatile long flushDeadlineNs = QueuePairEngine.NEVER;
    private boolean isFlushForced;

    Completer(QueuePairEngine engine, SendQueue queue, Requester requester, DomainMemory memory) {
        this.engine = engine;
        this.queue = queue;
        this.requester = requester;
        this.cursor = new ElementCursor(memory);
    }

    void open(TransmitRing transmitRing) {
        ring = transmitRing;
    }

    void rnrRetry(int value) {
        rnrRetry = value;
        rnrLeft = value;
    }

    void reset() {
        ring = null;
        done = queue.tailAcquire();
        piggybacked = 0;
        seenNegative = 0;
        rnrDeadlineNs = QueuePairEngine.NEVER;
        isPeerGone = false;
        flushDeadlineNs = QueuePairEngine.NEVER;
        isFlushForced = false;
    }

    /** {@return the index of the oldest request that is not retired} */
    long done() {
        return done;
    }

    /** {@return when to answer a "receiver not ready", or {@link QueuePairEngine#NEVER}} */
    long rnrDeadlineNs() {
        return rnrDeadlineNs;
    }

    /** {@return when to stop waiting for the peer before a flush, or NEVER} */
    long flushDeadlineNs() {
        return flushDeadlineNs;
    }

    /** {@return whether the peer's queue pair has said that it will never answer} */
    boolean isPeerGone() {
        return isPeerGone;
    }

    /** {@return whether something arrived; a hint for pollers outside the turn} */
    boolean looksReady() {
        TransmitRing transmit = ring;
        return transmit != null
                && (transmit.acknowledgedOpaque() > transmit.acknowledged()
                        || transmit.negativeOpaque() != seenNegative);
    }

    /**
     * Takes the acknowledgement a frame of the peer carried, before the frame itself is executed:
     * what the peer answers completes before its answer arrives.
     */
    void piggyback(int low) {
        long position = ring.expand(low);
        if (position > piggybacked && position > ring.acknowledged()) {
            piggybacked = position;
            retire();
        }
    }

    /** Retires what is acknowledged and reacts to refusals. */
    void retire() {
        // before the acknowledgement, which a refusal follows: what was executed is not refused
        long negative = ring.negativeAcquire();
        long before = ring.acknowledged();
        long acknowledged = Math.max(ring.acknowledgedAcquire(), piggybacked);
        if (!ring.acknowledge(acknowledged)) {
            engine.fail(WorkCompletionStatus.BAD_RESPONSE);
            return;
        }
        acknowledged = ring.acknowledged();
        if (acknowledged != before) {
            rnrLeft = rnrRetry;
        }
        if (!releaseStaging(acknowledged) || !retireRequests(acknowledged)) {
            engine.fail(WorkCompletionStatus.LOCAL_PROTECTION);
            return;
        }
        if (negative != seenNegative) {
            onNegative(negative);
        }
        if (requester.failure() != WorkCompletionStatus.SUCCESS && done == requester.next()) {
            engine.fail(requester.failure());
        }
    }

    private boolean releaseStaging(long acknowledged) {
        Staging staging = requester.staging();
        if (staging == null) {
            return true;
        }
        boolean isIntact = true;
        while (staging.isReleasable(acknowledged)) {
            if (staging.headReadIndex() >= 0) {
                isIntact &= placeStaged(staging);
            }
            staging.release();
        }
        return isIntact;
    }

    private boolean placeStaged(Staging staging) {
        int slot = queue.slot(staging.headReadIndex());
        if (!cursor.start(queue, slot, true)) {
            return false;
        }
        cursor.skip((int) staging.headReadOffset());
        return cursor.write(staging.memory(), staging.headOffset(), staging.headLength());
    }

    private boolean retireRequests(long acknowledged) {
        while (done < requester.next()) {
            int slot = queue.slot(done);
            if (queue.end(slot) > acknowledged) {
                return true;
            }
            if (queue.opcode(slot) >= SendOpcode.RDMA_READ.code()) {
                if (!placeResult(slot)) {
                    return false;
                }
                requester.readDone();
            }
            if ((queue.flags(slot) & SendWorkRequest.SIGNALED) != 0) {
                complete(slot, WorkCompletionStatus.SUCCESS);
            }
            done++;
        }
        return true;
    }

    /** Short reads and atomics: the responder left the bytes in the request's own slots. */
    private boolean placeResult(int slot) {
        int length = (int) queue.length(slot);
        boolean isRead = queue.opcode(slot) == SendOpcode.RDMA_READ.code();
        if (length > RingLayout.MAX_PAYLOAD || length == 0) {
            return true;
        }
        int slots = isRead ? RingLayout.slotsFor(length) : 1;
        long at = ring.slotAddress(queue.end(slot) - slots);
        long result = at + (isRead ? RingLayout.PAYLOAD : RingLayout.ATOMIC_RESULT);
        return cursor.start(queue, slot, true) && cursor.write(RawMemory.ALL, result, length);
    }

    private void complete(int slot, WorkCompletionStatus status) {
        int opcode = queue.opcode(slot);
        int length = opcode >= SendOpcode.RDMA_READ.code() ? (int) queue.length(slot) : 0;
        engine.completions()
                .pushSend(
                        queue.id(slot),
                        CompletionRing.kind(status.code(), OPCODES[opcode], 0),
                        length,
                        done);
    }

    private void onNegative(long negative) {
        seenNegative = negative;
        if (Syndrome.isRnr(negative)) {
            onRnr(negative);
            return;
        }
        if (Syndrome.code(negative) == Syndrome.GONE) {
            isPeerGone = true;
            failIfWaiting();
            return;
        }
        engine.fail(
                switch (Syndrome.code(negative)) {
                    case Syndrome.INVALID_REQUEST -> WorkCompletionStatus.REMOTE_INVALID_REQUEST;
                    case Syndrome.REMOTE_ACCESS -> WorkCompletionStatus.REMOTE_ACCESS;
                    case Syndrome.REMOTE_OPERATION -> WorkCompletionStatus.REMOTE_OPERATION;
                    default -> WorkCompletionStatus.BAD_RESPONSE;
                });
    }

    /** Fails what waits for a peer that will never answer. */
    void failIfWaiting() {
        if (!engine.isFailed() && (done < requester.next() || requester.isMidMessage())) {
            engine.fail(WorkCompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void onRnr(long negative) {
        if (rnrLeft == 0) {
            engine.fail(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
            return;
        }
        if (rnrRetry != RNR_FOREVER) {
            rnrLeft--;
        }
        rnrNumber = Syndrome.number(negative);
        rnrDeadlineNs = System.nanoTime() + RnrTimer.nanos(Syndrome.rnrTimer(negative));
        engine.watchDeadline();
    }

    /** Asks the responder to try again once the time it asked for is over. */
    boolean retryIfDue(long nowNs) {
        if (rnrDeadlineNs == QueuePairEngine.NEVER || nowNs - rnrDeadlineNs < 0) {
            return false;
        }
        rnrDeadlineNs = QueuePairEngine.NEVER;
        ring.rnrRetryRelease(rnrNumber);
        return true;
    }

    /**
     * {@return whether what is left may be completed} Reads wait until the peer cannot write to us
     * any more, but not for ever: one that hangs or is hostile may never say so.
     */
    boolean mayFlush(Wire wire) {
        boolean isReading = requester.outstandingReads() > 0 || requester.isMidMessage();
        if (isFlushForced || !isReading || !wire.mayPeerWrite()) {
            return true;
        }
        long now = System.nanoTime();
        if (flushDeadlineNs == QueuePairEngine.NEVER) {
            flushDeadlineNs = now + FLUSH_WAIT_NS;
            engine.watchDeadline();
        }
        // once is enough: what is posted later is never sent
        isFlushForced = now - flushDeadlineNs >= 0;
        return isFlushForced;
    }

    /** Completes every request that is left, the first with a status of its own. */
    void flush(WorkCompletionStatus first) {
        WorkCompletionStatus status = first;
        long tail = queue.tailAcquire();
        flushDeadlineNs = QueuePairEngine.NEVER;
        for (; done < tail; done++) {
            complete(queue.slot(done), status);
            status = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        }
    }
}
