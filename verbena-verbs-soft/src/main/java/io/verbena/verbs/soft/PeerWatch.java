// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.READY_TO_SEND;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * How a queue pair deals with its peer: it attaches to the peer's ring, rings its bells, waits for
 * it to become ready, and notices when it is dead. Used inside the turn, except for {@link
 * #nextDeadlineNs}.
 */
final class PeerWatch {
    private final QueuePairEngine engine;
    private final QueuePairLife life;
    private final FailurePath failure;
    private final Roles roles;
    private final Completer completer;
    private final Responder responder;
    private final AttachTimer attachTimer = new AttachTimer();

    PeerWatch(QueuePairEngine engine, QueuePairLife life, FailurePath failure, Roles roles) {
        this.engine = engine;
        this.life = life;
        this.failure = failure;
        this.roles = roles;
        this.completer = roles.completer();
        this.responder = roles.responder();
    }

    /** Attaches to the ring the peer has announced, unless there is one already. */
    void attach(AttachMessage message, Peer from) {
        if (!life.isOpen() || life.wire().isAttached() || !life.wire().attach(message, from)) {
            return;
        }
        responder.attach(life.wire().inbound());
        attachTimer.stop();
        // for frames published before we knew which bell to ring
        notifyPeer();
        if (life.isFailed()) {
            responder.close(false);
        }
    }

    /**
     * Rings for new requests, or starts waiting for the peer to become ready. Only after
     * publishing.
     */
    void notifyPeer() {
        RingWire wire = life.wire();
        if (wire.isAttached()) {
            wire.ringForRequests();
        }
        // a peer that left before it took our ring cannot announce that in the ring
        if (!wire.isAttached() || !wire.wasTaken()) {
            startAttachTimer();
        }
    }

    /** A peer that never becomes ready to receive looks like a network that loses packets. */
    private void startAttachTimer() {
        if (life.state() == READY_TO_SEND && attachTimer.start(life.settings())) {
            engine.watchDeadline();
        }
    }

    /** Acts on the deadlines that have passed. */
    void keepDeadlines(long nowNs) {
        if (completer.retryIfDue(nowNs)) {
            notifyPeer();
        }
        RingWire wire = life.wire();
        if (responder.isAttached() && wire.wasTaken()) {
            attachTimer.stop();
        } else if (attachTimer.expire(nowNs)) {
            wire.peer().doubt(engine, wire.message().nonce());
        }
    }

    /**
     * The peer has processed everything sent to it, and everything it sent has arrived. If it still
     * has not taken our ring, the one with the nonce, it was not ready; the link is not to blame.
     */
    void onAnswer(long nonce) {
        boolean isMeant = life.isOpen() && life.wire().message().nonce() == nonce;
        if (isMeant && attachTimer.takeAnswer()) {
            judge(life.wire());
        }
    }

    private void judge(RingWire wire) {
        if (!wire.wasTaken() || attachTimer.isRepeated() && !wire.isAttached()) {
            completer.failIfWaiting();
        } else if (!wire.isAttached()) {
            // it has become ready since, and is about to announce its ring
            startAttachTimer();
        }
    }

    /** The peer's process is dead, and everything it published was executed. */
    void onDeath() {
        failure.fail(
                roles.isRequestWaiting()
                        ? WorkCompletionStatus.RETRY_EXCEEDED
                        : WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        engine.report(AsyncEventType.QP_FATAL);
    }

    /** {@return when this queue pair must run at the latest, or {@link Deadline#NEVER}} */
    long nextDeadlineNs() {
        if (life.isFailed()) {
            // the other deadlines have lost their meaning, and nothing would ever clear them
            return completer.flushDeadlineNs();
        }
        return Deadline.earlier(attachTimer.deadlineNs(), completer.rnrDeadlineNs());
    }

    void reset() {
        attachTimer.reset();
    }
}
