// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import static io.verbena.verbs.QueuePairState.INIT;
import static io.verbena.verbs.QueuePairState.READY_TO_RECEIVE;
import static io.verbena.verbs.QueuePairState.READY_TO_SEND;
import static io.verbena.verbs.QueuePairState.RESET;

import io.verbena.verbs.Errno;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.VerbsException;
import io.verbena.verbs.spi.QueuePairTransitions;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A queue pair of the software device as its user sees it. It checks the arguments and the state
 * and leaves the work to the {@link QueuePairEngine}.
 *
 * <p>{@code control} serializes control operations and is taken before the turn.
 */
final class SoftQueuePair implements QueuePair {
    private final SoftDevice device;
    private final SoftProtectionDomain domain;
    private final QueuePairOptions options;
    private final int number;
    private final ReentrantLock control = new ReentrantLock();
    private final QueuePairEngine engine;
    private volatile boolean isClosed;

    SoftQueuePair(SoftProtectionDomain domain, QueuePairOptions options, int number) {
        this.device = domain.device();
        this.domain = domain;
        this.options = options;
        this.number = number;
        this.engine = new QueuePairEngine(this, domain, options, number);
    }

    QueuePairEngine engine() {
        return engine;
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public ProtectionDomain domain() {
        return domain;
    }

    @Override
    public QueuePairOptions options() {
        return options;
    }

    @Override
    public QueuePairState state() {
        checkOpen();
        return engine.state();
    }

    @Override
    public QueuePairAttributes query() {
        control.lock();
        try {
            checkOpen();
            return engine.query();
        } finally {
            control.unlock();
        }
    }

    @Override
    public void modify(QueuePairAttributes attributes) {
        control.lock();
        try {
            checkOpen();
            QueuePairState from = engine.state();
            QueuePairState target = QueuePairTransitions.check(from, attributes);
            QueuePairSettings.check(attributes);
            if (from == INIT && target == READY_TO_RECEIVE) {
                connect(attributes);
            } else if (!engine.modify(from, target, attributes)) {
                throw closed();
            }
        } finally {
            control.unlock();
        }
    }

    private void connect(QueuePairAttributes attributes) {
        Peer peer = device.peers().find(attributes.destinationGid());
        if (!engine.connect(attributes, peer)) {
            throw closed();
        }
        peer.attach(engine.wire().message());
    }

    @Override
    public int postSend(SendWorkRequest first) {
        QueuePairState state = engine.state();
        if (state.code() < READY_TO_SEND.code()) {
            throw refused("ibv_post_send", state, "READY_TO_SEND or later");
        }
        return engine.postSend(first);
    }

    @Override
    public int postReceive(ReceiveWorkRequest first) {
        QueuePairState state = engine.state();
        if (state == RESET) {
            throw refused("ibv_post_recv", state, "INIT or later");
        }
        return engine.postReceive(first);
    }

    private RuntimeException refused(String verb, QueuePairState state, String expected) {
        if (isClosed) {
            return closed();
        }
        return new VerbsException(
                verb, Errno.EINVAL, "state: " + state + " (expected: " + expected + ")");
    }

    @Override
    public void close() {
        control.lock();
        try {
            isClosed = true;
            engine.close();
        } finally {
            control.unlock();
        }
        // also the second time: the first may have found no memory
        domain.forget(this);
        device.forget(engine);
    }

    private void checkOpen() {
        if (isClosed) {
            throw closed();
        }
    }

    private IllegalStateException closed() {
        return new IllegalStateException(this + " is closed");
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "queue pair 0x%06x", number);
    }
}
