// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.QueuePairState;

/**
 * The life of an endpoint: the {@link EndpointPhase} it is in, what moves it to the next, and the
 * calls to its sink. Inside the poller's turn.
 */
final class EndpointLife {
    /**
     * A failed request often means that the peer has closed; TCP will report that within this time.
     */
    private static final long PEER_GRACE_NS = 200_000_000;

    private final QueuePairEndpoint endpoint;
    private final EndpointSettings settings;
    private final QueuePairLease lease;
    private final Dispatcher dispatcher;
    private final Arrivals arrivals;
    private final Runnable watch;
    private EndpointPhase phase = EndpointPhase.RUNNING;

    /** Null until the endpoint is opened. */
    private RdmaEndpoint.Sink sink;

    /** Why it ends, or will end unless something else ends it first. */
    private TransportException reason;

    /** The exception for refused writes while the reason is not certain. */
    private TransportException refusal;

    private long deadlineNs;
    private boolean hasDeadline;

    /**
     * Begins the life of an endpoint.
     *
     * @param endpoint whose
     * @param settings what all endpoints have in common
     * @param lease its queue pair
     * @param arrivals the received bytes to hand up
     * @param watch calls {@link #onTick} from now on
     */
    EndpointLife(
            QueuePairEndpoint endpoint,
            EndpointSettings settings,
            QueuePairLease lease,
            Arrivals arrivals,
            Runnable watch) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.lease = lease;
        this.dispatcher = lease.dispatcher();
        this.arrivals = arrivals;
        this.watch = watch;
    }

    EndpointPhase phase() {
        return phase;
    }

    /** Both sides have agreed; {@return whether it runs now} What was held is not yet delivered. */
    boolean open(RdmaEndpoint.Sink target) {
        sink = target;
        if (phase == EndpointPhase.GONE) {
            tellEnd();
        }
        if (phase.isOver()) {
            return false;
        }
        try {
            sink.onOpen();
        } catch (Throwable e) { // handlers may throw what they never declared
            onHandlerFailure(e);
        }
        return true;
    }

    /** The handshake is over: the time limit of an earlier failure starts now. */
    void onOpened() {
        if (phase == EndpointPhase.FLUSHED || phase == EndpointPhase.FAILED) {
            deadline(PEER_GRACE_NS);
        }
    }

    /** Hands up what has arrived. */
    void deliver() {
        if (sink == null || !arrivals.takeNews()) {
            return;
        }
        try {
            sink.onData(arrivals.received());
        } catch (Throwable e) { // handlers may throw what they never declared
            onHandlerFailure(e);
        }
    }

    /** Called for anything: other endpoints are served by the same thread and must not suffer. */
    private void onHandlerFailure(Throwable cause) {
        Faults.warn(
                EndpointLife.class,
                "a handler failed; its connection ends",
                lease.queuePair(),
                cause);
        fail(new TransportException(TransportError.EINTERNAL, "the handler failed", cause));
    }

    /** TCP has ended: the peer has closed. */
    void peerClosed(TransportException end) {
        if (!phase.isOver()) {
            // everything that reached this side before the peer closed has completed by now
            dispatcher.drain(lease.slot().group());
            end(end);
        }
    }

    /** This side closes: ends when everything written is in the peer's memory. */
    void close(TransportException end) {
        if (sink == null) {
            end(end);
        } else if (phase == EndpointPhase.RUNNING) {
            phase = EndpointPhase.CLOSING;
            reason = end;
            endpoint.beginClose(end);
            deadline(settings.closeTimeoutNs());
            endIfDrained();
        }
    }

    /** Ends a close that has nothing left to send. */
    void endIfDrained() {
        if (phase == EndpointPhase.CLOSING && endpoint.isDrained()) {
            end(reason);
        }
    }

    /** Ends because of a fault that is not the peer's end. */
    void fail(TransportException cause) {
        if (phase.takesCompletions()) {
            // not now: completions of this poll may still have something to deliver; and before
            // anything else: without memory for the task this can be tried again
            dispatcher.execute(() -> end(cause));
            phase = EndpointPhase.BROKEN;
            endpoint.refuseWrites(cause);
        }
    }

    /** The device reports an error of the queue pair; it may come from an earlier use of it. */
    void onDeviceEvent(String event) {
        if (!phase.isOver() && lease.queuePair().state() == QueuePairState.ERROR) {
            dispatcher.drain(lease.slot().group());
            requestFailed(
                    new TransportException(TransportError.ERDMA, "the device reports " + event),
                    false);
        }
    }

    /**
     * A request has failed: the endpoint ends with that failure, unless TCP reports in the meantime
     * that the peer has closed.
     *
     * @param cause how
     * @param isFlushed whether it failed only because another one had, whose completion may come
     *     later
     */
    void requestFailed(TransportException cause, boolean isFlushed) {
        switch (phase) {
            case RUNNING -> {
                phase = isFlushed ? EndpointPhase.FLUSHED : EndpointPhase.FAILED;
                reason = cause;
                // the reason is not certain; what is written now was never sent, and may be sent
                // again
                refusal = aboutToEnd(cause);
                endpoint.refuseWrites(refusal);
                // an endpoint that is not open yet stays: the handshake must first learn from the
                // connection manager that the peer refused, and ending the queue pair would prevent
                // that
                if (sink != null) {
                    deadline(PEER_GRACE_NS);
                }
            }
            case CLOSING -> {
                phase = EndpointPhase.CLOSE_FAILED;
                endpoint.refuseWrites(aboutToEnd(cause));
                deadline(0);
            }
            case FLUSHED -> {
                if (!isFlushed) {
                    phase = EndpointPhase.FAILED;
                    reason = cause;
                    endpoint.refuseWrites(refusal, aboutToEnd(cause));
                }
            }
            case FAILED, CLOSE_FAILED, BROKEN, ENDING, GONE -> {}
        }
    }

    private static TransportException aboutToEnd(TransportException cause) {
        return new TransportException(
                TransportError.EFAILEDSOCKET,
                "the connection has failed and is about to end: " + cause.detail(),
                cause);
    }

    private void deadline(long ns) {
        deadlineNs = System.nanoTime() + ns;
        hasDeadline = true;
        watch.run();
    }

    boolean hasDeadline() {
        return hasDeadline;
    }

    void onTick(long nowNs) {
        if (hasDeadline && nowNs - deadlineNs >= 0) {
            hasDeadline = false;
            onDeadline();
        }
    }

    private void onDeadline() {
        switch (phase) {
            case CLOSING, CLOSE_FAILED -> end(reason);
            case FLUSHED, FAILED -> {
                // TCP may have ended already, and its thread may be late: on a busy machine that
                // happens.
                TransportException cause = reason;
                sink.afterTcp(() -> dispatcher.execute(() -> end(cause)));
            }
            case RUNNING, BROKEN, ENDING, GONE -> {}
        }
    }

    /** Ends now; what arrived is handed up first. */
    void end(TransportException cause) {
        if (phase.isOver()) {
            return;
        }
        deliver();
        phase = EndpointPhase.ENDING;
        reason = cause;
        endpoint.refuseWrites(cause);
        if (sink != null) {
            sink.onEnding();
        }
        if (endpoint.closeTurn()) {
            tearDown();
        }
    }

    /** The thread that was inside the turn when it was closed has left. */
    void onTurnEnded() {
        tearDown();
    }

    private void tearDown() {
        settings.queuePairs().retire(lease);
        arrivals.closeReceives();
        endpoint.release();
        arrivals.closeReceived();
        settings.directory().remove(endpoint);
        lease.slot().group().vacate(lease.slot());
        dispatcher.onEndpointEnd();
        phase = EndpointPhase.GONE;
        if (sink != null) {
            tellEnd();
        }
    }

    private void tellEnd() {
        try {
            sink.onClose(reason);
        } catch (Throwable e) {
            Faults.warn(EndpointLife.class, "a handler failed at its end", lease.queuePair(), e);
        }
    }
}
