// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.IOBuf;
import io.verbena.memory.internal.OpaqueCounter;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.invoke.VarHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What an endpoint does on its dispatcher's thread: moves the windows by what has completed, hands
 * up what has arrived, and ends.
 */
final class EndpointService implements CompletionTarget, Dispatcher.Watched {
    private static final Logger LOG = LoggerFactory.getLogger(EndpointService.class);

    /** A failed request often means that the peer has closed; TCP will say so within this time. */
    private static final long PEER_GRACE_NS = 200_000_000;

    private static final int SUCCESS = WorkCompletionStatus.SUCCESS.code();
    private static final int FLUSHED = WorkCompletionStatus.WORK_REQUEST_FLUSHED.code();

    private final QueuePairEndpoint endpoint;
    private final EndpointSettings settings;
    private final QueuePairLease lease;
    private final Dispatcher dispatcher;
    private final int generation;
    private final SendWindow window;
    private final ReceiveCredits credits;
    private final PostedSends ring;
    private final PostedReceives receives;
    private final IOBuf received;
    private final long reserveLimit;
    private final OpaqueCounter receivedMessages = new OpaqueCounter();
    private final OpaqueCounter receivedAcknowledgements = new OpaqueCounter();
    private final OpaqueCounter receivedBytes = new OpaqueCounter();
    private RdmaEndpoint.Sink sink;
    private TransportException reason;
    private TransportException refusal;
    private long deadlineNs;
    private boolean hasDeadline;
    private boolean isWatched;
    private boolean isClosing;
    private boolean isFailed;
    private boolean isCauseUnknown;
    private boolean isBroken;
    private boolean isEnding;
    private boolean isGone;
    private boolean hasNews;

    EndpointService(
            QueuePairEndpoint endpoint,
            EndpointSettings settings,
            QueuePairLease lease,
            SendWindow window,
            ReceiveCredits credits,
            PostedSends ring,
            PostedReceives receives) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.lease = lease;
        this.dispatcher = lease.dispatcher();
        this.generation = lease.slot().generation();
        this.window = window;
        this.credits = credits;
        this.ring = ring;
        this.receives = receives;
        this.received = settings.pool().buffer();
        // a handler that leaves more than this uncut does not keep up
        this.reserveLimit = (long) settings.receiveQueueSize() * receives.blockSize();
    }

    @Override
    public int generation() {
        return generation;
    }

    @Override
    public void onSend(WorkCompletion completion) {
        if (isBroken || isEnding) {
            return;
        }
        if (completion.statusCode() != SUCCESS) {
            onFailure(completion);
            return;
        }
        if (isFailed) {
            return;
        }
        int count = WorkRequestId.count(completion.id());
        if (count == WorkRequestId.NO_DATA) {
            credits.acknowledgeRelease();
        } else {
            ring.release(window.completed(), count);
            window.completeRelease(count);
        }
    }

    @Override
    public void onReceive(WorkCompletion completion) {
        // what arrived before a request failed is as good as ever, wherever it is in the queue
        if (isBroken || isEnding) {
            return;
        }
        if (completion.statusCode() != SUCCESS) {
            onFailure(completion);
            return;
        }
        if (completion.opcode() != WorkCompletionOpcode.RECEIVE) {
            breach("opcode: " + completion.opcode() + " (expected: a receive of a send)");
            return;
        }
        int length = completion.length();
        receives.take(length, received, dispatcher.copyArea());
        count(length);
        if (completion.hasImmediate() && !window.tryCredit(completion.immediate())) {
            breach(
                    "credits: "
                            + Integer.toUnsignedString(completion.immediate())
                            + " (expected: at most those of messages on their way)");
        }
    }

    private void count(int length) {
        if (length == 0) {
            receivedAcknowledgements.add(1);
        } else {
            receivedMessages.add(1);
            receivedBytes.add(length);
            hasNews = true;
        }
    }

    private void onFailure(WorkCompletion completion) {
        boolean isFlushed = completion.statusCode() == FLUSHED;
        if (isFailed && (isFlushed || !isCauseUnknown)) {
            return;
        }
        failLater(
                new TransportException(
                        TransportError.ERDMA,
                        "a work request ended with "
                                + completion.status()
                                + " (status "
                                + completion.statusCode()
                                + ", vendor error "
                                + completion.vendorError()
                                + ")"));
        isCauseUnknown = isFlushed;
    }

    private void breach(String what) {
        fail(new TransportException(TransportError.EPROTO, what + "; the peer broke the protocol"));
    }

    @Override
    public void onBatchEnd() {
        if (isEnding) {
            return;
        }
        repost();
        deliver();
        if (isEnding) {
            return;
        }
        // the windows moved above, then this look at what waits: who writes does it the other way
        // round, and both have a full fence in between
        VarHandle.fullFence();
        if (!isFailed && endpoint.needsPost()) {
            endpoint.post();
        }
        endIfClosed();
    }

    private void repost() {
        if (isFailed || !receives.owes()) {
            return;
        }
        boolean mayUseReserve = received.size() <= reserveLimit;
        try {
            int count = receives.repost(dispatcher.receiveBatch(), mayUseReserve);
            credits.repostRelease(count);
        } catch (VerbsException e) {
            fail(new TransportException(TransportError.ERDMA, "posting receives", e));
            return;
        }
        if (receives.owes()) {
            watch();
        }
    }

    private void deliver() {
        if (!hasNews || sink == null) {
            return;
        }
        hasNews = false;
        try {
            sink.onData(received);
        } catch (RuntimeException | Error e) {
            onHandlerFailure(e);
        }
    }

    /** Also of an error: the dispatcher serves others, who have nothing to do with it. */
    private void onHandlerFailure(Throwable cause) {
        LOG.warn("a handler failed; its connection ends", cause);
        fail(new TransportException(TransportError.EINTERNAL, "the handler failed", cause));
    }

    void open(RdmaEndpoint.Sink target) {
        sink = target;
        if (isGone) {
            tellEnd();
            return;
        }
        if (isEnding) {
            return;
        }
        try {
            sink.onOpen();
        } catch (RuntimeException | Error e) {
            onHandlerFailure(e);
        }
        onBatchEnd();
        if (isFailed && !isBroken && !isEnding) {
            deadline(PEER_GRACE_NS);
        }
    }

    void peerClosed(TransportException end) {
        if (isEnding) {
            return;
        }
        // what had reached this side before the peer closed has completed by now
        dispatcher.drain(lease.slot().group());
        end(end);
    }

    void close(TransportException end) {
        if (sink == null) {
            end(end);
            return;
        }
        if (isEnding || isFailed || isClosing) {
            return;
        }
        isClosing = true;
        reason = end;
        endpoint.beginClose(end);
        deadline(settings.closeTimeoutNs());
        endIfClosed();
    }

    private void endIfClosed() {
        if (isClosing && !isFailed && endpoint.isDrained()) {
            end(reason);
        }
    }

    /** Ends because of a fault that is not the peer's end. */
    void fail(TransportException cause) {
        if (isBroken || isEnding) {
            return;
        }
        isFailed = true;
        isBroken = true;
        endpoint.refuseWrites(cause);
        // not here: completions of this poll may still have something to deliver
        dispatcher.execute(() -> end(cause));
    }

    /** Ends because of a fault, unless TCP says meanwhile that the peer has closed. */
    private void failLater(TransportException cause) {
        if (isBroken || isEnding) {
            return;
        }
        if (isFailed) {
            tellCause(cause);
            return;
        }
        isFailed = true;
        // why it failed is not known yet; what is written now was never sent, and may be sent anew
        refusal = aboutToEnd(cause);
        endpoint.refuseWrites(refusal);
        reason = isClosing ? reason : cause;
        // before it is open it stays: the handshake must first hear from the connection manager
        // that the peer refused, which ending the queue pair would prevent
        if (sink != null) {
            deadline(isClosing ? 0 : PEER_GRACE_NS);
        }
    }

    /** What failed flushes all else, and those completions may be polled before its own. */
    private void tellCause(TransportException cause) {
        if (isCauseUnknown && !isClosing) {
            isCauseUnknown = false;
            reason = cause;
            endpoint.refuseWrites(refusal, aboutToEnd(cause));
        }
    }

    private static TransportException aboutToEnd(TransportException cause) {
        return new TransportException(
                TransportError.EFAILEDSOCKET,
                "the connection has failed and is about to end: " + cause.getMessage(),
                cause);
    }

    private void deadline(long ns) {
        deadlineNs = System.nanoTime() + ns;
        hasDeadline = true;
        watch();
    }

    private void watch() {
        if (!isWatched) {
            isWatched = true;
            dispatcher.watch(this);
        }
    }

    @Override
    public boolean onTick(long nowNs) {
        if (!isEnding && hasDeadline && nowNs - deadlineNs >= 0) {
            hasDeadline = false;
            onDeadline();
        }
        if (isEnding) {
            return false;
        }
        if (receives.owes()) {
            onBatchEnd();
        }
        isWatched = !isEnding && (hasDeadline || receives.owes());
        return isWatched;
    }

    private void onDeadline() {
        if (isFailed && !isClosing) {
            // The end of TCP may be there, and its thread late: on a busy machine that happens.
            TransportException cause = reason;
            sink.afterTcp(() -> dispatcher.execute(() -> end(cause)));
        } else {
            end(reason);
        }
    }

    @Override
    public void onFault(RuntimeException cause) {
        LOG.error("serving {} failed", lease.queuePair(), cause);
        fail(DeviceFailure.of("serving completions", cause));
    }

    @Override
    public void onQueueFailure(VerbsException cause) {
        fail(new TransportException(TransportError.ERDMA, "a completion queue is broken", cause));
    }

    /** The device reports an error of the queue pair; it may be of an earlier use of it. */
    void onDeviceEvent(String event) {
        if (!isEnding && lease.queuePair().state() == QueuePairState.ERROR) {
            dispatcher.drain(lease.slot().group());
            failLater(new TransportException(TransportError.ERDMA, "the device reports " + event));
        }
    }

    /** Ends now; what arrived is handed up first. */
    void end(TransportException cause) {
        if (isEnding) {
            return;
        }
        deliver();
        isEnding = true;
        reason = cause;
        endpoint.refuseWrites(cause);
        tellEnding();
        if (endpoint.closeTurn()) {
            tearDown();
        }
    }

    /** Who was inside the turn when it was closed has left. */
    void onTurnEnded() {
        tearDown();
    }

    private void tearDown() {
        settings.queuePairs().retire(lease);
        receives.close();
        endpoint.release();
        received.close();
        settings.directory().remove(endpoint);
        lease.slot().group().vacate(lease.slot());
        isGone = true;
        if (sink != null) {
            tellEnd();
        }
    }

    private void tellEnding() {
        if (sink != null) {
            sink.onEnding();
        }
    }

    private void tellEnd() {
        try {
            sink.onClose(reason);
        } catch (RuntimeException | Error e) {
            LOG.warn("a handler failed at the end of its connection", e);
        }
    }

    long receivedMessages() {
        return receivedMessages.value();
    }

    long receivedAcknowledgements() {
        return receivedAcknowledgements.value();
    }

    long receivedBytes() {
        return receivedBytes.value();
    }
}
