// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.QueuePairState;
import io.verbena.verbs.ReceiveWorkRequest;
import io.verbena.verbs.SendWorkRequest;
import io.verbena.verbs.spi.QueuePairTransitions;

/** Follows the rules for state changes and remembers what was set. */
final class RecordingQueuePair implements QueuePair {
    private final int number;
    private final ProtectionDomain domain;
    private final QueuePairOptions options;
    private final QueuePairAttributes attributes = QueuePairAttributes.to(QueuePairState.RESET);
    private boolean closed;
    private Throwable failure;

    RecordingQueuePair(int number, ProtectionDomain domain, QueuePairOptions options) {
        this.number = number;
        this.domain = domain;
        this.options = options;
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
    public synchronized QueuePairState state() {
        return attributes.state();
    }

    @Override
    public synchronized QueuePairAttributes query() {
        return QueuePairAttributes.unchanged().merge(attributes);
    }

    /** From now on every change fails with this. */
    synchronized void failWith(Throwable throwable) {
        failure = throwable;
    }

    @Override
    public synchronized void modify(QueuePairAttributes changed) {
        if (failure != null) {
            RecordingQueuePair.<RuntimeException>sneak(failure);
        }
        if (closed) {
            throw new IllegalStateException("queue pair is closed");
        }
        QueuePairTransitions.check(attributes.state(), changed);
        attributes.merge(changed);
    }

    @Override
    public int postSend(SendWorkRequest first) {
        throw new UnsupportedOperationException("no data path");
    }

    @Override
    public int postReceive(ReceiveWorkRequest first) {
        throw new UnsupportedOperationException("no data path");
    }

    @Override
    public synchronized void close() {
        closed = true;
    }

    @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // as other languages do it
    private static <T extends Throwable> void sneak(Throwable throwable) throws T {
        throw (T) throwable;
    }

    synchronized boolean isClosed() {
        return closed;
    }
}
