// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.foreign.MemorySegment;

/**
 * Takes acknowledgements, retires send requests in order and produces their completions. Runs
 * inside the queue pair's turn.
 */
final class Completer implements Outbound.ResultSink {
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

    /**
     * How long a failed queue pair waits for a peer that says it is answering a read: long enough
     * for one that is stopped for a while, and not forever, because a hung or hostile one may never
     * say that it is done.
     */
    private static final long FLUSH_WAIT_NS = 30_000_000_000L;

    /** How often it looks meanwhile: a peer that is done need not ring. */
    private static final long FLUSH_LOOK_NS = 10_000_000;

    private final QueuePairEngine engine;
    private final SendQueue queue;
    private final Requester requester;
    private final ElementCursor cursor;
    private Outbound wire;
    private long done;
    private long seenRefusal;
    private int rnrRetry;
    private int rnrLeft;
    private int rnrNumber;
    private volatile long rnrDeadlineNs = Deadline.NEVER;
    private boolean isPeerGone;

    /** When to look again whether the peer is done. */
    private volatile long flushDeadlineNs = Deadline.NEVER;

    /** When to flush whatever the peer does. */
    private long flushLimitNs = Deadline.NEVER;

    private boolean isFlushForced;

    Completer(QueuePairEngine engine, SendQueue queue, Requester requester, DomainMemory memory) {
        this.engine = engine;
        this.queue = queue;
        this.requester = requester;
        this.cursor = new ElementCursor(memory, queue);
    }

    void open(Outbound outbound) {
        wire = outbound;
    }

    void rnrRetry(int value) {
        rnrRetry = value;
        rnrLeft = value;
    }

    void reset() {
        wire = null;
        done = queue.tailAcquire();
        seenRefusal = 0;
        rnrDeadlineNs = Deadline.NEVER;
        isPeerGone = false;
        flushDeadlineNs = Deadline.NEVER;
        flushLimitNs = Deadline.NEVER;
        isFlushForced = false;
    }

    /** {@return the index of the oldest request that is not retired} */
    long done() {
        return done;
    }

    /** {@return when to answer a "receiver not ready", or {@link Deadline#NEVER}} */
    long rnrDeadlineNs() {
        return rnrDeadlineNs;
    }

    /** {@return when to look again whether the peer is done, so that we may flush, or NEVER} */
    long flushDeadlineNs() {
        return flushDeadlineNs;
    }

    /** {@return whether the peer's queue pair has announced that it will never answer} */
    boolean isPeerGone() {
        return isPeerGone;
    }

    /** {@return whether something arrived; a hint for pollers outside the turn} */
    boolean looksReady() {
        Outbound outbound = wire;
        return outbound != null && outbound.looksAnswered(seenRefusal);
    }

    /**
     * Takes the acknowledgement carried by a frame of the peer, before the frame itself is
     * executed: a request completes before the peer's reply to it arrives.
     */
    void piggyback(int carried) {
        if (wire.noteAcknowledgement(carried)) {
            retire();
        }
    }

    /** Retires acknowledged requests and reacts to refusals. */
    void retire() {
        // read before the acknowledgement, because the peer refuses after it acknowledges: an
        // executed request is never refused
        long refusal = wire.refusalAcquire();
        long before = wire.acknowledged();
        if (!wire.takeAcknowledgement()) {
            engine.fail(WorkCompletionStatus.BAD_RESPONSE);
            return;
        }
        long acknowledged = wire.acknowledged();
        if (acknowledged != before) {
            rnrLeft = rnrRetry;
        }
        if (!wire.takeResults(this) || !retireRequests(acknowledged)) {
            engine.fail(WorkCompletionStatus.LOCAL_PROTECTION);
            return;
        }
        if (refusal != seenRefusal) {
            onRefusal(refusal);
        }
        if (requester.failure() != WorkCompletionStatus.SUCCESS && done == requester.next()) {
            engine.fail(requester.failure());
        }
    }

    @Override
    public boolean place(long readIndex, long offset, MemorySegment from, long at, int length) {
        cursor.startWriting(queue.slot(readIndex));
        if (!cursor.isAccessible()) {
            return false;
        }
        cursor.skip((int) offset);
        return cursor.write(from, at, length);
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

    /**
     * Places the result of a single-frame request; the parts of longer reads are already in place.
     */
    private boolean placeResult(int slot) {
        int length = (int) queue.length(slot);
        if (length > wire.maxPayload() || length == 0) {
            return true;
        }
        cursor.startWriting(slot);
        return cursor.isAccessible()
                && (queue.opcode(slot) == SendOpcode.RDMA_READ.code()
                        ? wire.copyRead(queue.end(slot), length, cursor)
                        : wire.copyAtomic(queue.end(slot), cursor));
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

    private void onRefusal(long refusal) {
        seenRefusal = refusal;
        if (Syndrome.isRnr(refusal)) {
            onRnr(refusal);
            return;
        }
        if (Syndrome.code(refusal) == Syndrome.GONE) {
            isPeerGone = true;
            failIfWaiting();
            return;
        }
        engine.fail(
                switch (Syndrome.code(refusal)) {
                    case Syndrome.INVALID_REQUEST -> WorkCompletionStatus.REMOTE_INVALID_REQUEST;
                    case Syndrome.REMOTE_ACCESS -> WorkCompletionStatus.REMOTE_ACCESS;
                    case Syndrome.REMOTE_OPERATION -> WorkCompletionStatus.REMOTE_OPERATION;
                    default -> WorkCompletionStatus.BAD_RESPONSE;
                });
    }

    /** Fails the requests that wait for a peer that will never answer. */
    void failIfWaiting() {
        if (!engine.isFailed() && (done < requester.next() || requester.isMidMessage())) {
            engine.fail(WorkCompletionStatus.RETRY_EXCEEDED);
        }
    }

    private void onRnr(long refusal) {
        if (rnrLeft == 0) {
            engine.fail(WorkCompletionStatus.RNR_RETRY_EXCEEDED);
            return;
        }
        if (rnrRetry != RNR_FOREVER) {
            rnrLeft--;
        }
        rnrNumber = Syndrome.number(refusal);
        rnrDeadlineNs = System.nanoTime() + RnrTimer.nanos(Syndrome.rnrTimer(refusal));
        engine.watchDeadline();
    }

    /** Asks the responder to try again once the time it asked for is over. */
    boolean retryIfDue(long nowNs) {
        if (!Deadline.isDue(rnrDeadlineNs, nowNs)) {
            return false;
        }
        rnrDeadlineNs = Deadline.NEVER;
        wire.retry(rnrNumber);
        return true;
    }

    /**
     * {@return whether the remaining requests may be completed} Reads wait until the peer can no
     * longer write to us, but not forever.
     */
    boolean mayFlush() {
        boolean isReading = requester.outstandingReads() > 0 || requester.isMidMessage();
        if (isFlushForced || !isReading || wire == null || !wire.mayPeerWrite()) {
            return true;
        }
        long now = System.nanoTime();
        if (flushLimitNs == Deadline.NEVER) {
            flushLimitNs = now + FLUSH_WAIT_NS;
        }
        // waiting once is enough: requests posted later are never sent
        isFlushForced = now - flushLimitNs >= 0;
        if (!isFlushForced && (flushDeadlineNs == Deadline.NEVER || now - flushDeadlineNs >= 0)) {
            flushDeadlineNs = now + FLUSH_LOOK_NS;
            engine.watchDeadline();
        }
        return isFlushForced;
    }

    /** Completes all remaining requests, the first with its own status. */
    void flush(WorkCompletionStatus first) {
        WorkCompletionStatus status = first;
        long tail = queue.tailAcquire();
        flushDeadlineNs = Deadline.NEVER;
        for (; done < tail; done++) {
            complete(queue.slot(done), status);
            status = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        }
    }
}
