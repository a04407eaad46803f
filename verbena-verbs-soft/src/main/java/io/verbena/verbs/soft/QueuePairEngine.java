// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.ERROR;
import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.RESET;
import static io.verbena.verbs.QueuePairState.SEND_QUEUE_DRAINED;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import io.verbena.verbs.spi.QueuePairTransitions;
import java.lang.foreign.Arena;

/**
 * What a queue pair does: the two queues, the three roles ({@link Requester}, {@link Responder},
 * {@link Completer}) and the connection to the peer's queue pair.
 *
 * <p>Threads: everything the roles do happens inside the {@link Turn}. Posting and polling threads
 * and the background thread take it in passing; control operations wait for it.
 */
final class QueuePairEngine implements CompletionOwner {
    /** No deadline; a time {@link System#nanoTime} is as likely to give as any other, and skips. */
    static final long NEVER = Long.MIN_VALUE;

    /** Enough for everything a ring holds. */
    private static final int SETTLE_ROUNDS = 1 + RingLayout.SLOTS / Responder.MAX_FRAMES;

    private final SoftQueuePair face;
    private final SoftDevice device;
    private final SoftProtectionDomain domain;
    private final CompletionPorts completions;
    private final int number;
    private final Arena arena = Arena.ofShared();
    private final Turn turn = new Turn();
    private final AttachTimer attachTimer = new AttachTimer();
    private final SendQueue sends;
    private final ReceiveQueue receives;
    private final Requester requester;
    private final Completer completer;
    private final Responder responder;
    private QueuePairAttributes settings = QueuePairAttributes.unchanged();
    private volatile QueuePairState state = RESET;
    private volatile int generation;
    private Wire wire = Wire.NONE;
    private WorkCompletionStatus errorStatus = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
    private boolean isDrainReported;
    private long lastActive;

    QueuePairEngine(
            SoftQueuePair face, SoftProtectionDomain domain, QueuePairOptions options, int number) {
        this.face = face;
        this.device = domain.device();
        this.domain = domain;
        this.number = number;
        this.sends =
                new SendQueue(
                        options.maxSendRequests(),
                        options.maxSendElements(),
                        options.maxInlineBytes(),
                        options.signalAll(),
                        arena,
                        new DomainMemory(domain));
        this.receives =
                new ReceiveQueue(options.maxReceiveRequests(), options.maxReceiveElements());
        DomainMemory memory = new DomainMemory(domain);
        this.requester = new Requester(this, sends, memory);
        this.completer = new Completer(this, sends, requester, memory);
        this.responder = new Responder(this, receives, completer, memory);
        requester.roles(completer, responder);
        this.completions = new CompletionPorts(this, options);
    }

    QueuePairState state() {
        return state;
    }

    /** {@return everything that was set, and the state} Only under the control lock. */
    QueuePairAttributes query() {
        return QueuePairAttributes.to(RESET).merge(settings).merge(QueuePairAttributes.to(state));
    }

    /**
     * Changes state or settings.
     *
     * @param from the state the attributes were checked against
     * @param peer the process at the other end, for the step to READY_TO_RECEIVE
     * @return false if the queue pair is closed
     */
    boolean modify(
            QueuePairState from, QueuePairState target, QueuePairAttributes attributes, Peer peer) {
        if (!turn.enter()) {
            return false;
        }
        try {
            if (state != from) {
                QueuePairTransitions.check(state, attributes);
            }
            apply(from, target, attributes, peer);
            progress(true);
        } finally {
            leave();
        }
        return true;
    }

    private void apply(
            QueuePairState from, QueuePairState target, QueuePairAttributes attributes, Peer peer) {
        if (target == RESET) {
            resetInside();
            return;
        }
        settings.merge(attributes);
        responder.settings(
                settings.access(), settings.maxDestinationReadAtomic(), settings.minRnrTimer());
        completer.rnrRetry(settings.rnrRetry());
        requester.maxReadAtomic(settings.maxReadAtomic());
        if (target == ERROR) {
            settle();
            fail(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        } else if (from == INIT && target == READY_TO_RECEIVE) {
            open(peer);
            state = target;
            device.takePendingAttach(this);
        } else {
            isDrainReported = !attributes.drainNotification();
            state = target;
            if (target == SEND_QUEUE_DRAINED && from != target) {
                requester.requestAcknowledgement();
                notifyPeer();
            }
        }
    }

    /** {@return the process at the other end, or null} */
    Peer peer() {
        return wire.peer();
    }

    /** {@return what the peer must know to attach to our ring} */
    AttachMessage attachMessage() {
        return wire.message();
    }

    /** {@return how many requests of the chain were taken} The caller has looked at the state. */
    int postSend(SendWorkRequest first) {
        try {
            return sends.append(first);
        } finally {
            send();
        }
    }

    /** {@return how many receives of the chain were taken} The caller has looked at the state. */
    int postReceive(ReceiveWorkRequest first) {
        try {
            return receives.append(first);
        } finally {
            Fences.betweenStoreAndLook();
            if (state == ERROR) {
                run(true);
            }
        }
    }

    /** Drops everything and lets nobody in any more; {@return false if that was done before} */
    boolean close() {
        if (!turn.enter()) {
            return false;
        }
        resetInside();
        turn.closeFromInside();
        completions.leave();
        arena.close();
        return true;
    }

    private void open(Peer peer) {
        SharedBlock block = device.slabs().take();
        long nonce = device.nextNonce();
        TransmitRing ring = new TransmitRing(block.memory(), block.offset(), nonce);
        AttachMessage message = completions.message(number, settings.destination(), block, nonce);
        wire = new Wire(peer, block, ring, message, null, null);
        requester.open(ring, peer);
        completer.open(ring);
        peer.join(this);
        completions.announce(ring);
    }

    private void resetInside() {
        int next = generation + 1; // only ever changed inside the turn
        generation = next;
        disconnect();
        state = RESET;
        settings = QueuePairAttributes.unchanged();
        requester.reset();
        completer.reset();
        responder.reset();
        sends.reset();
        receives.reset();
        errorStatus = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        attachTimer.reset();
    }

    /** Stops using both rings and says so; the peer's memory may be gone by now. */
    private void giveUpRings(boolean isRefused) {
        wire.transmit().closeVolatile();
        try {
            responder.close(isRefused);
            notifyPeer();
        } catch (IllegalStateException | InternalError e) {
            device.log(face, e);
        }
    }

    private void disconnect() {
        Wire gone = wire;
        if (!gone.isOpen()) {
            return;
        }
        if (state != ERROR) {
            giveUpRings(false);
        }
        requester.releaseStaging(device.stagings(), gone);
        device.slabs().giveBackWhenDetached(gone.block(), gone);
        gone.peer().leave(this);
        wire = Wire.NONE;
    }

    private void send() {
        if (!turn.tryEnter()) {
            return;
        }
        try {
            if (state == READY_TO_SEND) {
                emit();
            } else {
                progress(true);
            }
        } catch (RuntimeException | InternalError e) {
            fatal(e);
        } finally {
            leave();
        }
    }

    private void emit() {
        if (requester.emit()) {
            notifyPeer();
        }
        if (requester.failure() != WorkCompletionStatus.SUCCESS) {
            completer.retire();
        } else if (completer.isPeerGone()) {
            completer.failIfWaiting();
        }
    }

    /**
     * Makes progress, unless somebody else is at it, who will then do it again.
     *
     * @param isEager whether to acknowledge at once what was executed
     */
    void run(boolean isEager) {
        if (turn.tryEnter()) {
            progress(isEager);
            leave();
        }
    }

    private void leave() {
        while (!turn.tryExit()) {
            progress(true);
        }
    }

    private void progress(boolean isEager) {
        try {
            if (wire.isOpen() && state != ERROR) {
                work(isEager);
            } else if (state == ERROR) {
                flush();
            }
        } catch (RuntimeException | InternalError e) {
            fatal(e);
        }
    }

    private void work(boolean isEager) {
        // before the last look at what the peer has left, so that nothing of it is missed
        boolean isPeerAlive = wire.peer().isAlive();
        int frames = receiveFrames();
        if (state == ERROR) {
            return;
        }
        completer.retire();
        if (state == READY_TO_SEND) {
            emit();
        } else if (state == SEND_QUEUE_DRAINED) {
            drainSends();
        }
        if (state == ERROR) {
            return;
        }
        if (responder.isAttached()) {
            responder.acknowledge(isEager || frames == 0);
        }
        // with frames left over another run is under way, which will see to it
        if (!isPeerAlive && frames < Responder.MAX_FRAMES) {
            onPeerDeath();
        } else if (nextDeadlineNs() != NEVER) {
            keepDeadlines(System.nanoTime());
        }
    }

    private int receiveFrames() {
        if (!responder.isAttached()) {
            return 0;
        }
        int frames = responder.drain();
        if (frames > 0) {
            lastActive = completions.polls();
        } else if (responder.isAttached() && responder.isSenderClosed()) {
            responder.detach();
        }
        if (frames == Responder.MAX_FRAMES) {
            completions.ringForMore(device.bells());
        }
        return frames;
    }

    /**
     * Takes what has arrived before the queue pair is stopped from outside: on a network it would
     * have been received and acknowledged long before the news that leads to the stop.
     */
    private void settle() {
        if (!wire.isOpen() || state == ERROR) {
            return;
        }
        for (int i = 0; i < SETTLE_ROUNDS && receiveFrames() == Responder.MAX_FRAMES; i++) {
            Thread.onSpinWait();
        }
        if (state != ERROR) {
            completer.retire();
        }
    }

    private void drainSends() {
        if (requester.isMidMessage() && requester.emitCurrent()) {
            notifyPeer();
        }
        if (!isDrainReported && completer.done() == requester.next()) {
            isDrainReported = true;
            domain.context().report(AsyncEvent.of(AsyncEventType.SEND_QUEUE_DRAINED, face));
        }
    }

    private void onPeerDeath() {
        boolean isWaiting = completer.done() < requester.next() || requester.isMidMessage();
        fail(
                isWaiting
                        ? WorkCompletionStatus.RETRY_EXCEEDED
                        : WorkCompletionStatus.WORK_REQUEST_FLUSHED);
        domain.context().report(AsyncEvent.of(AsyncEventType.QP_FATAL, face));
    }

    private void keepDeadlines(long now) {
        if (completer.retryIfDue(now)) {
            notifyPeer();
        }
        if (responder.isAttached() && wire.transmit().wasAttached()) {
            attachTimer.stop();
        } else if (attachTimer.expire(now)) {
            wire.peer().doubt(this, wire.message().nonce());
        }
    }

    /**
     * The peer has done all it was told, and what it told has arrived. If it has still not taken
     * our ring, the one with the nonce, it was not ready; no slow link is to blame.
     */
    void onAnswer(long nonce) {
        if (!turn.enter()) {
            return;
        }
        try {
            boolean isMeant = wire.isOpen() && wire.message().nonce() == nonce;
            if (isMeant && attachTimer.takeAnswer()) {
                judgePeer();
            }
            progress(true);
        } finally {
            leave();
        }
    }

    private void judgePeer() {
        if (!wire.transmit().wasAttached() || attachTimer.isRepeated() && !wire.isAttached()) {
            completer.failIfWaiting();
        } else if (!wire.isAttached()) {
            // it has become ready since, and is about to say where its ring is
            startAttachTimer();
        }
    }

    /** {@return when this queue pair must run at the latest, or {@link #NEVER}} Any thread. */
    long nextDeadlineNs() {
        if (state == ERROR) {
            // the others have lost their meaning, and nothing would ever take them away
            return completer.flushDeadlineNs();
        }
        return attachTimer.deadlineOr(completer.rnrDeadlineNs());
    }

    /** Rings for new requests, or waits for the peer to become ready. Only after publishing. */
    private void notifyPeer() {
        if (wire.isAttached()) {
            wire.ringForRequests();
        }
        // one that went before it took our ring never says so in it
        if (!wire.isAttached() || !wire.transmit().wasAttached()) {
            startAttachTimer();
        }
    }

    /** A peer that never becomes ready to receive looks like a network that swallows packets. */
    private void startAttachTimer() {
        if (state == READY_TO_SEND && attachTimer.start(settings)) {
            watchDeadline();
        }
    }

    /** Attaches to the peer's ring, or keeps the message until this end is ready to receive. */
    void onAttach(AttachMessage message, Peer from) {
        if (!turn.enter()) {
            return;
        }
        try {
            switch (state) {
                case RESET, INIT -> device.addPendingAttach(this, message, from);
                default -> attachInside(message, from);
            }
            progress(true);
        } finally {
            leave();
        }
    }

    void attachInside(AttachMessage message, Peer from) {
        if (wire.isAttached()) {
            return;
        }
        wire = wire.attach(message, from);
        if (!wire.isAttached()) {
            return;
        }
        responder.attach(wire);
        attachTimer.stop();
        // frames published before we knew whom to ring for
        notifyPeer();
        if (state == ERROR) {
            responder.close(false);
        }
    }

    /** Ends because an incoming request was refused; called inside the turn. */
    void failReceive(AsyncEventType event) {
        enterError(WorkCompletionStatus.WORK_REQUEST_FLUSHED, true);
        domain.context().report(AsyncEvent.of(event, face));
    }

    boolean isFailed() {
        return state == ERROR;
    }

    private void fatal(Throwable cause) {
        device.log(face, cause);
        try {
            fail(WorkCompletionStatus.LOCAL_QP_OPERATION);
        } catch (RuntimeException | InternalError e) {
            device.log(face, e);
        }
        domain.context().report(AsyncEvent.of(AsyncEventType.QP_FATAL, face));
    }

    /** Fails because a completion could not be delivered. */
    void failOverflowed() {
        if (turn.enter()) {
            try {
                fail(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            } finally {
                leave();
            }
            domain.context().report(AsyncEvent.of(AsyncEventType.QP_FATAL, face));
        }
    }

    /** Ends with a status for the oldest send request; called inside the turn. */
    void fail(WorkCompletionStatus first) {
        enterError(first, false);
    }

    private void enterError(WorkCompletionStatus first, boolean isRefused) {
        if (state == ERROR) {
            return;
        }
        errorStatus = first;
        state = ERROR;
        // pairs with the look at the state after a receive was posted
        Fences.afterAnnounce();
        if (wire.isOpen()) {
            giveUpRings(isRefused);
        }
        flush();
    }

    /** Completes what is posted in error. */
    private void flush() {
        if (completer.mayFlush(wire)) {
            completer.flush(errorStatus);
            errorStatus = WorkCompletionStatus.WORK_REQUEST_FLUSHED;
        }
        responder.flush();
    }

    /** {@return whether there is something to do; a hint for pollers outside the turn} */
    boolean looksReady() {
        try {
            return responder.looksReady() || completer.looksReady();
        } catch (IllegalStateException | InternalError e) {
            // the peer's memory is gone: the next turn finds that too, and fails
            return state != ERROR;
        }
    }

    /** Announces whether pollers look at this queue pair without being rung for. */
    void attention(SoftCompletionQueue queue, boolean isHot) {
        if (turn.enter()) {
            try {
                if (wire.isOpen()) {
                    completions.announce(wire.transmit(), queue, isHot);
                }
            } finally {
                leave();
            }
        }
    }

    /** {@return how many polls of its receive queue had been made when it last did something} */
    long lastActive() {
        return lastActive;
    }

    /** Lets the background thread keep a deadline that was just set. */
    void watchDeadline() {
        device.background().watch(this);
    }

    CompletionPorts completions() {
        return completions;
    }

    @Override
    public void freeSendSlots(long index) {
        sends.free(index);
    }

    @Override
    public int generation() {
        return generation;
    }

    Staging newStaging() {
        return new Staging(device.stagings().take());
    }

    /** Waits until whoever is inside now has left: what it looked up before is no longer in use. */
    void quiesce() {
        if (turn.enter()) {
            leave();
        }
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public String toString() {
        return face.toString();
    }
}
