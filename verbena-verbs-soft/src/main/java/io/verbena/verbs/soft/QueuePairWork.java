// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.SEND_QUEUE_DRAINED;

import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * What a queue pair does when it runs: the roles take frames, retire requests, emit new ones and
 * acknowledge, in this order. Used inside the turn, except where a method says otherwise.
 */
final class QueuePairWork {
    /** Enough for everything a ring holds. */
    private static final int SETTLE_ROUNDS = 1 + RingLayout.SLOTS / Responder.MAX_FRAMES;

    private final QueuePairEngine engine;
    private final QueuePairLife life;
    private final PeerWatch peerWatch;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private long lastActive;

    QueuePairWork(QueuePairEngine engine, QueuePairLife life, PeerWatch peerWatch, Roles roles) {
        this.engine = engine;
        this.life = life;
        this.peerWatch = peerWatch;
        this.requester = roles.requester();
        this.completer = roles.completer();
        this.responder = roles.responder();
    }

    /** Emits what was posted. */
    void emit() {
        if (requester.emit()) {
            peerWatch.notifyPeer();
        }
        if (requester.failure() != WorkCompletionStatus.SUCCESS) {
            completer.retire();
        } else if (completer.isPeerGone()) {
            completer.failIfWaiting();
        }
    }

    /**
     * Does all pending work; only while the wire is open and nothing has failed.
     *
     * @param isEager whether to acknowledge executed frames at once
     */
    void run(boolean isEager) {
        // read before the last look at the peer's frames, so that none of them is missed
        boolean isPeerAlive = life.wire().peer().isAlive();
        int frames = receiveFrames();
        if (life.isFailed()) {
            return;
        }
        completer.retire();
        QueuePairState state = life.state();
        if (state == READY_TO_SEND) {
            emit();
        } else if (state == SEND_QUEUE_DRAINED) {
            drainSends();
        }
        if (life.isFailed()) {
            return;
        }
        if (responder.isAttached()) {
            responder.acknowledge(isEager || frames == 0);
        }
        // if frames are left over, another run is due, which will take care of it
        if (!isPeerAlive && frames < Responder.MAX_FRAMES) {
            peerWatch.onDeath();
        } else if (peerWatch.nextDeadlineNs() != Deadline.NEVER) {
            peerWatch.keepDeadlines(System.nanoTime());
        }
    }

    private int receiveFrames() {
        if (!responder.isAttached()) {
            return 0;
        }
        int frames = responder.drain();
        if (frames > 0) {
            lastActive = engine.completions().polls();
        } else if (responder.isAttached() && responder.isSenderGone()) {
            responder.detach();
        }
        if (frames == Responder.MAX_FRAMES) {
            engine.ringForMore();
        }
        return frames;
    }

    /**
     * Takes everything that arrived before the queue pair is stopped from outside: on a network it
     * would have been received and acknowledged long before the event that causes the stop.
     */
    void settle() {
        if (!life.isOpen() || life.isFailed()) {
            return;
        }
        for (int i = 0; i < SETTLE_ROUNDS && receiveFrames() == Responder.MAX_FRAMES; i++) {
            Thread.onSpinWait();
        }
        if (!life.isFailed()) {
            completer.retire();
        }
    }

    private void drainSends() {
        if (requester.isMidMessage() && requester.emitCurrent()) {
            peerWatch.notifyPeer();
        }
        if (completer.done() == requester.next() && life.takeDrainReport()) {
            engine.report(AsyncEventType.SEND_QUEUE_DRAINED);
        }
    }

    /** {@return whether there is something to do; a hint, for any thread} */
    boolean looksReady() {
        try {
            // after a failure nothing of the peer's is taken, and its memory may be gone
            return !life.isFailed() && responder.looksReady() || completer.looksReady();
        } catch (IllegalStateException | InternalError e) {
            // the peer's memory is gone: the next turn finds that out too, and fails
            return !life.isFailed();
        }
    }

    /**
     * {@return how many times its receive queue had been polled when it was last active} Any
     * thread.
     */
    long lastActive() {
        return lastActive;
    }
}
