// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
import io.verbena.completion.Notices;
import io.verbena.transport.TransportError;
import io.verbena.transport.TransportException;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionOpcode;
import io.verbena.verbs.WorkCompletionStatus;
import java.lang.invoke.VarHandle;

/**
 * What an endpoint does with its completions, inside its poller's turn: moves the windows, takes
 * what has arrived, and posts what can be posted now. Its {@link EndpointLife} decides what a
 * failure means.
 */
final class EndpointService
        implements CompletionTarget, Dispatcher.Watched, Starvation.Starving, EndpointCalls.Target {
    private static final int SUCCESS = WorkCompletionStatus.SUCCESS.code();
    private static final int FLUSHED = WorkCompletionStatus.WORK_REQUEST_FLUSHED.code();

    private final QueuePairEndpoint endpoint;
    private final QueuePairLease lease;
    private final Dispatcher dispatcher;
    private final int generation;
    private final SendWindow window;
    private final ReceiveCredits credits;
    private final PostedSends sends;
    private final Arrivals arrivals;
    private final EndpointCalls calls;
    private final EndpointLife life;
    private final Dispatcher.Watch watch = new Dispatcher.Watch(this);
    private boolean isWatched;

    /** Why completions were lost, so that nothing after them counts; or null. */
    private Throwable fault;

    /** How many receives had been posted when the last one was, and when that was seen. */
    private long lastPosted;

    private long lastPostedNs;

    EndpointService(
            QueuePairEndpoint endpoint,
            EndpointSettings settings,
            QueuePairLease lease,
            SendWindow window,
            ReceiveCredits credits,
            PostedSends sends,
            Arrivals arrivals) {
        this.endpoint = endpoint;
        this.lease = lease;
        this.dispatcher = lease.dispatcher();
        this.generation = lease.slot().generation();
        this.window = window;
        this.credits = credits;
        this.sends = sends;
        this.arrivals = arrivals;
        this.calls = new EndpointCalls(dispatcher, this);
        this.life = new EndpointLife(endpoint, settings, lease, arrivals, calls, this::watch);
    }

    EndpointCalls calls() {
        return calls;
    }

    EndpointLife life() {
        return life;
    }

    @Override
    public int generation() {
        return generation;
    }

    @Override
    public void begin() {
        life.begin();
    }

    /** Notifies the sink and delivers what was held. */
    @Override
    public void open(RdmaEndpoint.Sink sink) {
        if (life.open(sink)) {
            onBatchEnd();
            life.onOpened();
        }
    }

    @Override
    public void postOn() {
        endpoint.postOn();
    }

    @Override
    public void deviceEvent(String event) {
        life.onDeviceEvent(event);
    }

    @Override
    public void fail(TransportException cause) {
        life.fail(cause);
    }

    @Override
    public void close(TransportException reason) {
        life.close(reason);
    }

    @Override
    public void peerClosed(TransportException reason) {
        life.peerClosed(reason);
    }

    @Override
    public void end(TransportException reason) {
        life.end(reason);
    }

    @Override
    public void endAsFailed() {
        life.endAsFailed();
    }

    @Override
    public void turnEnded() {
        life.onTurnEnded();
    }

    @Override
    public void onSend(WorkCompletion completion) {
        if (completion.statusCode() != SUCCESS) {
            onFailure(completion);
            return;
        }
        if (!life.phase().isHealthy()) {
            return;
        }
        int count = WorkRequestId.count(completion.id());
        if (count == WorkRequestId.NO_DATA) {
            credits.acknowledgeRelease();
        } else {
            sends.release(window.completed(), count);
            window.completeRelease(count);
        }
    }

    @Override
    public void onReceive(WorkCompletion completion) {
        // what arrived before a request failed is still valid, wherever it is in the queue
        if (fault != null || !life.phase().takesCompletions()) {
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
        arrivals.take(completion.length(), dispatcher.copyArea());
        if (completion.hasImmediate() && !window.tryCredit(completion.immediate())) {
            breach(
                    "credits: "
                            + Integer.toUnsignedString(completion.immediate())
                            + " (expected: at most those of messages on their way)");
        }
    }

    private void onFailure(WorkCompletion completion) {
        boolean isFlushed = completion.statusCode() == FLUSHED;
        if (life.phase().learnsFrom(isFlushed)) {
            life.requestFailed(
                    new TransportException(
                            TransportError.ERDMA,
                            "a work request ended with "
                                    + completion.status()
                                    + " (status "
                                    + completion.statusCode()
                                    + ", vendor error "
                                    + completion.vendorError()
                                    + ")"),
                    isFlushed);
        }
    }

    private void breach(String what) {
        life.fail(
                new TransportException(
                        TransportError.EPROTO, what + "; the peer broke the protocol"));
    }

    @Override
    public void onBatchEnd() {
        if (life.phase().isOver()) {
            return;
        }
        if (fault != null) {
            // it has ended already, unless there was no memory for that
            endFailed();
            return;
        }
        repost();
        life.deliver();
        if (life.phase().isOver()) {
            return;
        }
        // the windows were moved above, and only now this checks what waits: a writer does it in
        // the opposite order, and both have a full fence in between
        VarHandle.fullFence();
        if (life.phase().isHealthy() && endpoint.needsPost()) {
            endpoint.post();
        }
        life.endIfDrained();
    }

    private void repost() {
        if (!life.phase().isHealthy() || !arrivals.owes()) {
            return;
        }
        try {
            arrivals.repost(dispatcher.receiveBatch());
        } catch (VerbsException e) {
            life.fail(new TransportException(TransportError.ERDMA, "posting receives", e));
            return;
        }
        if (arrivals.owes()) {
            watch();
        }
    }

    private void watch() {
        if (!isWatched) {
            isWatched = true;
            lastPostedNs = System.nanoTime();
            dispatcher.watch(watch);
        }
    }

    @Override
    public boolean onTick(long nowNs) {
        life.onTick(nowNs);
        if (life.isOpen()) {
            // before that, another thread may be posting the first receives
            if (arrivals.owes()) {
                onBatchEnd();
            }
            noteStarvation(nowNs);
        }
        isWatched = life.hasDeadline() || life.isStuck() || life.isOpen() && arrivals.owes();
        return isWatched;
    }

    private void noteStarvation(long nowNs) {
        if (!arrivals.owes() || !life.phase().isHealthy() || arrivals.posted() != lastPosted) {
            lastPosted = arrivals.posted();
            lastPostedNs = nowNs;
        } else if (nowNs - lastPostedNs >= Starvation.LIMIT_NS) {
            dispatcher.starvation().add(this);
        }
    }

    @Override
    public long keptBytes() {
        return arrivals.received().size();
    }

    @Override
    public void endForLackOfMemory() {
        arrivals.shortage()
                .ifPresent(
                        shortage -> {
                            TransportException reason =
                                    DeviceFailure.of(
                                            "receiving the rest of a message, of which "
                                                    + keptBytes()
                                                    + " bytes are here",
                                            shortage);
                            Notices.warn(
                                    EndpointService.class,
                                    lease.queuePair()
                                            + " ends, registered memory is exhausted: "
                                            + reason.getMessage());
                            life.fail(reason);
                        });
    }

    @Override
    public void onFault(Throwable cause) {
        // first: a report may fail
        fault = cause;
        endFailed();
        Faults.warn(EndpointService.class, "serving it failed", lease.queuePair(), cause);
    }

    private void endFailed() {
        life.fail(DeviceFailure.of("serving completions", fault));
    }

    @Override
    public void onQueueFailure(Throwable cause) {
        life.fail(DeviceFailure.of("a completion queue is broken", cause));
    }
}
