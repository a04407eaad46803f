// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.RESET;

import io.verbena.verbs.AsyncEvent;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.WorkCompletionStatus;
import io.verbena.verbs.spi.QueuePairTransitions;

/**
 * Drives a queue pair: it lets one thread at a time into the {@link Turn}, where the {@link
 * QueuePairWork} is done. The state is in {@link QueuePairLife}, the handling of the peer in {@link
 * PeerWatch}, that of failures in {@link FailurePath}.
 *
 * <p>Threads: everything the roles do happens inside the turn. Posting and polling threads and the
 * background thread take the turn if it is free; control operations wait for it.
 */
final class QueuePairEngine implements CompletionOwner {
    private final SoftQueuePair face;
    private final SoftDevice device;
    private final SoftProtectionDomain domain;
    private final CompletionPorts completions;
    private final int number;

    /** The number as a key: it must be forgotten without memory. */
    private final Integer key;

    private final Turn turn = new Turn();
    private final QueuePairLife life;
    private final FailurePath failure;
    private final PeerWatch peerWatch;
    private final QueuePairWork work;
    private final SendQueue sends;
    private final ReceiveQueue receives;

    QueuePairEngine(
            SoftQueuePair face, SoftProtectionDomain domain, QueuePairOptions options, int number) {
        this.face = face;
        this.device = domain.device();
        this.domain = domain;
        this.number = number;
        this.key = number;
        Roles roles = new Roles(this, options, new DomainMemory(domain));
        this.sends = roles.sends();
        this.receives = roles.receives();
        this.life = new QueuePairLife(this, device, roles);
        this.failure = new FailurePath(this, life, roles);
        this.peerWatch = new PeerWatch(this, life, failure, roles);
        this.work = new QueuePairWork(this, life, peerWatch, roles);
        // last: from now on other threads find this queue pair and may run it
        this.completions = new CompletionPorts(this, options);
    }

    Integer key() {
        return key;
    }

    QueuePairState state() {
        return life.state();
    }

    /** {@return all settings, and the state} Only under the control lock. */
    QueuePairAttributes query() {
        return life.query();
    }

    /** {@return the wire; only between READY_TO_RECEIVE and a reset, under the control lock} */
    RingWire wire() {
        return life.wire();
    }

    /**
     * Takes the step to READY_TO_RECEIVE.
     *
     * @param peer the process at the other end
     * @return false if the queue pair is closed
     */
    boolean connect(QueuePairAttributes attributes, Peer peer) {
        return control(INIT, attributes, () -> life.connect(attributes, peer));
    }

    /**
     * Takes any other step, or changes settings.
     *
     * @param from the state the attributes were checked against
     * @return false if the queue pair is closed
     */
    boolean modify(QueuePairState from, QueuePairState target, QueuePairAttributes attributes) {
        return control(from, attributes, () -> life.change(from, target, attributes));
    }

    private boolean control(QueuePairState from, QueuePairAttributes attributes, Runnable step) {
        if (!turn.enter()) {
            return false;
        }
        try {
            if (life.state() != from) {
                QueuePairTransitions.check(life.state(), attributes);
            }
            step.run();
            progress(true);
        } finally {
            leave();
        }
        return true;
    }

    /** {@return how many requests of the chain were taken} The caller has checked the state. */
    int postSend(SendWorkRequest first) {
        try {
            return sends.append(first);
        } finally {
            send();
        }
    }

    /** {@return how many receives of the chain were taken} The caller has checked the state. */
    int postReceive(ReceiveWorkRequest first) {
        try {
            return receives.append(first);
        } finally {
            Fences.betweenStoreAndLook();
            if (life.isFailed()) {
                run(true);
            }
        }
    }

    /**
     * Drops everything and closes the turn. Under the control lock. Idempotent; if there is no
     * memory for that, it can be called again.
     */
    void close() {
        if (turn.enter()) {
            // in RESET there is nothing to drop: whoever made one and cannot keep it, for want of
            // memory, can always close it
            if (life.state() != RESET) {
                drop();
            }
            turn.closeFromInside();
        }
        completions.leave();
    }

    private void drop() {
        try {
            life.drop();
        } catch (Throwable e) { // nobody else could enter any more, not even to try again
            leave();
            throw e;
        }
    }

    private void send() {
        if (!turn.tryEnter()) {
            return;
        }
        try {
            if (life.state() == READY_TO_SEND) {
                work.emit();
            } else {
                progress(true);
            }
            MemoryFault.surface();
        } catch (Throwable e) {
            failure.failUnexpectedly(e);
        } finally {
            leave();
        }
    }

    /**
     * Makes progress, unless another thread is doing so, which will then run once more.
     *
     * @param isEager whether to acknowledge executed frames at once
     */
    void run(boolean isEager) {
        if (turn.tryEnter()) {
            try {
                progress(isEager);
            } finally {
                leave();
            }
        }
    }

    private void leave() {
        while (!turn.tryExit()) {
            progress(true);
        }
    }

    private void progress(boolean isEager) {
        try {
            if (life.isFailed()) {
                failure.flush();
            } else if (life.isOpen()) {
                work.run(isEager);
            }
            MemoryFault.surface();
        } catch (Throwable e) {
            failure.failUnexpectedly(e);
        }
    }

    /** The peer has received everything sent to it, see {@link Peer#doubt}. */
    void onAnswer(long nonce) {
        if (!turn.enter()) {
            return;
        }
        try {
            peerWatch.onAnswer(nonce);
            progress(true);
        } finally {
            leave();
        }
    }

    /** {@return when this queue pair must run at the latest, or NEVER} Any thread. */
    long nextDeadlineNs() {
        return peerWatch.nextDeadlineNs();
    }

    /** Attaches to the peer's ring, or keeps the message until this end is ready to receive. */
    void onAttach(AttachMessage message, Peer from) {
        if (!turn.enter()) {
            return;
        }
        try {
            QueuePairState state = life.state();
            if (state == RESET || state == INIT) {
                device.addPendingAttach(this, message, from);
            } else {
                peerWatch.attach(message, from);
            }
            progress(true);
        } finally {
            leave();
        }
    }

    /** Attaches to the peer's ring; called inside the turn. */
    void attachInside(AttachMessage message, Peer from) {
        peerWatch.attach(message, from);
    }

    /** Fails because a completion could not be delivered. */
    void failOverflowed() {
        if (turn.enter()) {
            try {
                failure.fail(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            } finally {
                leave();
            }
            report(AsyncEventType.QP_FATAL);
        }
    }

    /** Fails with a status for the oldest send request; called inside the turn. */
    void fail(WorkCompletionStatus first) {
        failure.fail(first);
    }

    /** Fails because an incoming request was refused; called inside the turn. */
    void failReceive(AsyncEventType event) {
        failure.failReceive(event);
    }

    boolean isFailed() {
        return life.isFailed();
    }

    /** {@return what runs inside the turn; the hints it gives are for any thread} */
    QueuePairWork work() {
        return work;
    }

    FailurePath failure() {
        return failure;
    }

    PeerWatch peerWatch() {
        return peerWatch;
    }

    /** Reports to the user something that no completion reports. */
    void report(AsyncEventType event) {
        domain.context().report(AsyncEvent.of(event, face));
    }

    void log(Throwable cause) {
        device.log(face, cause);
    }

    /** Announces whether pollers look at this queue pair without a bell. */
    void attention(PairScheduler scheduler, boolean isHot) {
        if (turn.enter()) {
            try {
                if (life.isOpen()) {
                    completions.announce(life.wire(), scheduler, isHot);
                }
            } finally {
                leave();
            }
        }
    }

    /** Makes the background thread watch a deadline that was just set. */
    void watchDeadline() {
        device.background().watch(this);
    }

    /** Makes this queue pair run again in a moment. Takes no memory. */
    void runAgain() {
        device.background().runAll();
    }

    /** Makes this queue pair run again: there is more to receive than one run should take. */
    void ringForMore() {
        completions.ringForMore(device.bells());
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
        return life.generation();
    }

    /**
     * Waits until the thread that is inside now has left: then nothing it looked up before is in
     * use.
     */
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
