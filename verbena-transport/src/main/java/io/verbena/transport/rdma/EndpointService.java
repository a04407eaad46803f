// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.completion.Faults;
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
final class EndpointService implements CompletionTarget, Dispatcher.Watched {
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
    private final EndpointLife life;
    private boolean isWatched;

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
        this.life = new EndpointLife(endpoint, settings, lease, arrivals, this::watch);
    }

    EndpointLife life() {
        return life;
    }

    @Override
    public int generation() {
        return generation;
    }

    /** Both sides have agreed: notifies the sink and delivers what was held. */
    void open(RdmaEndpoint.Sink sink) {
        if (life.open(sink)) {
            onBatchEnd();
            life.onOpened();
        }
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
        if (!life.phase().takesCompletions()) {
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
            dispatcher.watch(this);
        }
    }

    @Override
    public boolean onTick(long nowNs) {
        life.onTick(nowNs);
        if (arrivals.owes()) {
            onBatchEnd();
        }
        isWatched = !life.phase().isOver() && (life.hasDeadline() || arrivals.owes());
        return isWatched;
    }

    @Override
    public void onFault(Throwable cause) {
        Faults.warn(EndpointService.class, "serving it failed", lease.queuePair(), cause);
        life.fail(DeviceFailure.of("serving completions", cause));
    }

    @Override
    public void onQueueFailure(Throwable cause) {
        life.fail(
                new TransportException(
                        TransportError.ERDMA, "a completion queue is broken", cause));
    }
}
