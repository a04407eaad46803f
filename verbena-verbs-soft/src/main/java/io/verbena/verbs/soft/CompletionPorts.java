// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import io.verbena.verbs.QueuePairOptions;

/**
 * The two completion queues of a queue pair, which may be the same one, and the bells through which
 * peers notify them.
 */
final class CompletionPorts {
    private final QueuePairEngine engine;
    private final SoftCompletionQueue sendQueue;
    private final SoftCompletionQueue receiveQueue;
    private final PairScheduler requests;
    private final PairScheduler acknowledgements;
    private final int sendBell;
    private final int receiveBell;
    private boolean hasLeftRequests;
    private boolean hasLeftAcknowledgements;

    CompletionPorts(QueuePairEngine engine, QueuePairOptions options) {
        this.engine = engine;
        this.sendQueue = (SoftCompletionQueue) options.sendQueue();
        this.receiveQueue = (SoftCompletionQueue) options.receiveQueue();
        this.requests = receiveQueue.scheduler();
        this.acknowledgements = sendQueue.scheduler();
        this.receiveBell = requests.members().add(engine);
        this.sendBell = isOneQueue() ? receiveBell : joinAcknowledgements();
    }

    private int joinAcknowledgements() {
        try {
            return acknowledgements.members().add(engine);
        } catch (Throwable e) { // nobody would ever leave the other one
            requests.remove(engine, receiveBell);
            throw e;
        }
    }

    private boolean isOneQueue() {
        return sendQueue == receiveQueue;
    }

    void pushSend(long id, int kind, int length, long index) {
        sendQueue.push(engine, id, kind, length, 0, index, false);
    }

    void pushReceive(long id, int kind, int length, int immediate, boolean isSolicited) {
        receiveQueue.push(engine, id, kind, length, immediate, -1, isSolicited);
    }

    /** {@return what a peer must know to attach to a ring in a block and to ring our bells} */
    AttachMessage message(int from, int to, SharedBlock block, long nonce) {
        return new AttachMessage(
                from,
                to,
                block.segment(),
                block.offset(),
                nonce,
                requests.area(),
                receiveBell,
                acknowledgements.area(),
                sendBell);
    }

    /** Tells the peer whether to ring, depending on what the completion queues do now. */
    void announce(RingWire wire) {
        wire.requestAttention(requests.isHot(engine));
        wire.acknowledgeAttention(acknowledgements.isHot(engine));
    }

    /** Tells the peer whether to ring for one of the completion queues. */
    void announce(RingWire wire, PairScheduler scheduler, boolean isHot) {
        if (scheduler == requests) {
            wire.requestAttention(isHot);
        }
        if (scheduler == acknowledgements) {
            wire.acknowledgeAttention(isHot);
        }
    }

    /** Rings our own bell: there is more to receive than one turn should take. */
    void ringForMore(Bells bells) {
        bells.ring(requests.area(), receiveBell);
    }

    /** {@return how many times the receive queue has been polled} */
    long polls() {
        return requests.polls();
    }

    /** If there is no memory for that, it can be called again. */
    void leave() {
        if (!hasLeftRequests) {
            requests.remove(engine, receiveBell);
            hasLeftRequests = true;
        }
        if (!isOneQueue() && !hasLeftAcknowledgements) {
            acknowledgements.remove(engine, sendBell);
            hasLeftAcknowledgements = true;
        }
    }
}
