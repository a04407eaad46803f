// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.QueuePairState;
import java.util.List;
import java.util.function.Consumer;

/**
 * The life of an endpoint: the {@link EndpointPhase} it is in, what moves it to the next, and the
 * calls to its sink. Inside the poller's turn.
 */
final class EndpointLife {
    /**
     * A failed request often means that the peer has closed; TCP will report that within this time.
     */
    private static final long PEER_GRACE_NS = 200_000_000;

    /** How long TCP may take to report that; it may never do so, if there is no memory. */
    private static final long TCP_LIMIT_NS = 2_000_000_000;

    /** How long a step of the end is tried again that finds no memory. */
    private static final long STUCK_LIMIT_NS = 5_000_000_000L;

    /**
     * How everything is given back, in this order; the steps are made now, because there may be no
     * memory when they are due. Each is tried whatever has become of the others, and again later if
     * there was no memory: an endpoint that stops halfway would never tell its end, and its slot
     * would keep the domain from ending.
     */
    private static final List<Consumer<EndpointLife>> LAST_STEPS =
            List.of(
                    life -> life.settings.queuePairs().retire(life.lease),
                    life -> life.arrivals.closeReceives(),
                    life -> life.endpoint.release(),
                    life -> life.arrivals.closeReceived(),
                    life -> life.settings.directory().remove(life.endpoint),
                    life -> life.lease.slot().group().vacate(life.lease.slot()),
                    life -> life.dispatcher.onEndpointEnd());

    private final QueuePairEndpoint endpoint;
    private final EndpointSettings settings;
    private final QueuePairLease lease;
    private final Dispatcher dispatcher;
    private final Arrivals arrivals;
    private final EndpointCalls calls;
    private final Runnable watch;

    /** Made now: there may be no memory when it is due. */
    private final Runnable afterTcp;

    private EndpointPhase phase = EndpointPhase.RUNNING;

    /** Null until the endpoint is opened. */
    private RdmaEndpoint.Sink sink;

    /** Why it ends, or will end unless something else ends it first. */
    private TransportException reason;

    /** The exception for refused writes while the reason is not certain. */
    private TransportException refusal;

    private long deadlineNs;
    private boolean hasDeadline;

    /** Whether TCP was asked if the peer has closed. */
    private boolean hasAskedTcp;

    /** The next of the last steps, the first failure of one, and since when one finds no memory. */
    private int step;

    private Throwable fault;
    private long stuckSinceNs;
    private boolean isStuck;

    /**
     * Begins the life of an endpoint.
     *
     * @param endpoint whose
     * @param settings what all endpoints have in common
     * @param lease its queue pair
     * @param arrivals the received bytes to hand up
     * @param calls what is to be done later
     * @param watch calls {@link #onTick} from now on
     */
    EndpointLife(
            QueuePairEndpoint endpoint,
            EndpointSettings settings,
            QueuePairLease lease,
            Arrivals arrivals,
            EndpointCalls calls,
            Runnable watch) {
        this.endpoint = endpoint;
        this.settings = settings;
        this.lease = lease;
        this.dispatcher = lease.dispatcher();
        this.arrivals = arrivals;
        this.calls = calls;
        this.watch = watch;
        this.afterTcp = calls::endAsFailed;
    }

    EndpointPhase phase() {
        return phase;
    }

    /**
     * Whoever makes it opens it within the time that a handshake may take, or ends it. A handshake
     * that found no memory even for that has forgotten it.
     */
    void begin() {
        if (!phase.isOver() && sink == null) {
            deadline(settings.openTimeoutNs());
        }
    }

    /** Both sides have agreed; {@return whether it runs now} What was held is not yet delivered. */
    boolean open(RdmaEndpoint.Sink target) {
        sink = target;
        hasDeadline = false;
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

    /** {@return whether both sides have agreed, and its end has not begun} */
    boolean isOpen() {
        return sink != null && !phase.isOver();
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
        // first: a report may fail
        fail(handlerFailure(cause));
        Faults.warn(
                EndpointLife.class,
                "a handler failed; its connection ends",
                lease.queuePair(),
                cause);
    }

    private static TransportException handlerFailure(Throwable cause) {
        try {
            return new TransportException(TransportError.EINTERNAL, "the handler failed", cause);
        } catch (Throwable e) { // no memory
            return DeviceFailure.of("the handler failed", cause);
        }
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
            phase = EndpointPhase.BROKEN;
            reason = cause;
            endpoint.refuseWrites(cause);
            // not now: completions of this poll may still have something to deliver
            calls.endAsFailed();
        }
    }

    /** Ends for the reason that is known. */
    void endAsFailed() {
        end(reason);
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
        // no switch, here and below: it needs a class of its own, which cannot be loaded without
        // memory
        if (phase == EndpointPhase.RUNNING) {
            phase = isFlushed ? EndpointPhase.FLUSHED : EndpointPhase.FAILED;
            reason = cause;
            // the reason is not certain; what is written now was never sent, and may be sent again
            refusal = aboutToEnd(cause);
            endpoint.refuseWrites(refusal);
            // an endpoint that is not open yet stays: the handshake must first learn from the
            // connection manager that the peer refused, and ending the queue pair would prevent
            // that
            if (sink != null) {
                deadline(PEER_GRACE_NS);
            }
        } else if (phase == EndpointPhase.CLOSING) {
            phase = EndpointPhase.CLOSE_FAILED;
            endpoint.refuseWrites(aboutToEnd(cause));
            deadline(0);
        } else if (phase == EndpointPhase.FLUSHED && !isFlushed) {
            phase = EndpointPhase.FAILED;
            reason = cause;
            endpoint.refuseWrites(refusal, aboutToEnd(cause));
        }
    }

    private static TransportException aboutToEnd(TransportException cause) {
        try {
            return new TransportException(
                    TransportError.EFAILEDSOCKET,
                    "the connection has failed and is about to end: " + cause.detail(),
                    cause);
        } catch (Throwable e) { // no memory
            return cause;
        }
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
        if (isStuck) {
            tearDown();
        }
        if (hasDeadline && nowNs - deadlineNs >= 0) {
            hasDeadline = false;
            onDeadline();
        }
    }

    private void onDeadline() {
        if (phase == EndpointPhase.CLOSING || phase == EndpointPhase.CLOSE_FAILED) {
            end(reason);
        } else if (phase == EndpointPhase.FLUSHED || phase == EndpointPhase.FAILED) {
            endAfterTcp();
        } else if (phase == EndpointPhase.RUNNING && sink == null) {
            end(DeviceFailure.abandoned());
        }
    }

    /**
     * TCP may have ended already, and its thread may be late: on a busy machine that happens. It
     * may also find no memory for the answer.
     */
    private void endAfterTcp() {
        if (hasAskedTcp || sink == null) {
            end(reason);
            return;
        }
        hasAskedTcp = true;
        deadline(TCP_LIMIT_NS);
        sink.afterTcp(afterTcp);
    }

    /** Ends now; what arrived is handed up first. */
    void end(TransportException cause) {
        if (phase.isOver()) {
            return;
        }
        deliver();
        phase = EndpointPhase.ENDING;
        hasDeadline = false;
        reason = cause;
        try {
            endpoint.refuseWrites(cause);
            if (sink != null) {
                sink.onEnding();
            }
        } catch (Throwable e) {
            // only kept: it must be torn down all the same, and without memory a report may fail
            fault = e;
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
        isStuck = false;
        while (step < LAST_STEPS.size()) {
            try {
                LAST_STEPS.get(step).accept(this);
            } catch (Throwable e) {
                // only kept, as above: the slot is among the last
                fault = fault == null ? e : fault;
                if (e instanceof OutOfMemoryError && mayTryAgain()) {
                    isStuck = true;
                    watch.run();
                    return;
                }
            }
            step++;
        }
        phase = EndpointPhase.GONE;
        try {
            if (sink != null) {
                tellEnd();
            }
        } finally {
            warnOfEnd();
        }
    }

    private boolean mayTryAgain() {
        long now = System.nanoTime();
        if (stuckSinceNs == 0) {
            stuckSinceNs = now;
        }
        return now - stuckSinceNs < STUCK_LIMIT_NS;
    }

    /** {@return whether a step of its end waits for memory} */
    boolean isStuck() {
        return isStuck;
    }

    /** Reports the first failure of the end, if there was one. */
    private void warnOfEnd() {
        if (fault != null) {
            Faults.warn(EndpointLife.class, "a step of its end failed", lease.queuePair(), fault);
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
