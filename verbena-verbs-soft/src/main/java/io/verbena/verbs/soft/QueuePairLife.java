// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.ERROR;
import static io.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static io.verbena.verbs.QueuePairState.RESET;
import static io.verbena.verbs.QueuePairState.SEND_QUEUE_DRAINED;

import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.WorkCompletionStatus;

/**
 * The state of a queue pair, its settings and its wire, and the steps from one state to the next.
 * Changes happen inside the turn; any thread may read state and generation.
 */
final class QueuePairLife {
    private final QueuePairEngine engine;
    private final SoftDevice device;
    private final Roles roles;
    private QueuePairAttributes settings = QueuePairAttributes.unchanged();
    private volatile QueuePairState state = RESET;
    private volatile int generation;
    private RingWire wire;
    private boolean isDrainReported;

    QueuePairLife(QueuePairEngine engine, SoftDevice device, Roles roles) {
        this.engine = engine;
        this.device = device;
        this.roles = roles;
    }

    QueuePairState state() {
        return state;
    }

    boolean isFailed() {
        return state == ERROR;
    }

    /** {@return a number that changes with every reset} */
    int generation() {
        return generation;
    }

    QueuePairAttributes settings() {
        return settings;
    }

    /** {@return all settings, and the state} Only under the control lock. */
    QueuePairAttributes query() {
        return QueuePairAttributes.to(RESET).merge(settings).merge(QueuePairAttributes.to(state));
    }

    /** {@return whether there is a wire} */
    boolean isOpen() {
        return wire != null;
    }

    /** {@return the wire; only when it is open} */
    RingWire wire() {
        return wire;
    }

    /** Takes the step to READY_TO_RECEIVE: opens the wire to the peer's process. */
    void connect(QueuePairAttributes attributes, Peer peer) {
        merge(attributes);
        SharedBlock block = device.slabs().take();
        CompletionPorts completions = engine.completions();
        AttachMessage message =
                completions.message(
                        engine.number(), settings.destination(), block, device.nextNonce());
        wire = new RingWire(peer, block, message, device.stagings());
        roles.open(wire.outbound());
        peer.join(engine);
        completions.announce(wire);
        state = READY_TO_RECEIVE;
        device.takePendingAttach(engine);
    }

    /** Takes any other step, or changes settings. */
    void change(QueuePairState from, QueuePairState target, QueuePairAttributes attributes) {
        if (target == RESET) {
            reset();
            return;
        }
        merge(attributes);
        if (target == ERROR) {
            engine.work().settle();
            engine.failure().fail(WorkCompletionStatus.WORK_REQUEST_FLUSHED);
            return;
        }
        isDrainReported = !attributes.drainNotification();
        state = target;
        if (target == SEND_QUEUE_DRAINED && from != target) {
            roles.requester().requestAcknowledgement();
            engine.peerWatch().notifyPeer();
        }
    }

    private void merge(QueuePairAttributes attributes) {
        settings.merge(attributes);
        roles.configure(settings);
    }

    /** Enters the error state; {@link FailurePath} does the rest. */
    void fail() {
        state = ERROR;
    }

    /** {@return whether a drained send queue must be reported; true only once} */
    boolean takeDrainReport() {
        boolean isDue = !isDrainReported;
        isDrainReported = true;
        return isDue;
    }

    /** Drops everything: requests, completions not yet polled, the wire. */
    void reset() {
        // first: without memory for that, nothing has changed
        QueuePairAttributes none = QueuePairAttributes.unchanged();
        drop();
        settings = none;
    }

    /** As {@link #reset}, for a queue pair that is not used again. */
    void drop() {
        int next = generation + 1; // only ever changed inside the turn
        generation = next;
        disconnect();
        state = RESET;
        roles.reset();
        engine.failure().reset();
        engine.peerWatch().reset();
    }

    private void disconnect() {
        if (wire == null) {
            return;
        }
        engine.failure().giveUpWire();
        wire.peer().leave(engine);
        // last: what was given back must not be given back again if this is repeated
        wire.giveBack(device.slabs());
        wire = null;
    }
}
