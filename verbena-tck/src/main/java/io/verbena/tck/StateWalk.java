// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.AccessFlag;
import io.verbena.verbs.AsyncEventType;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairAttributes;
import io.verbena.verbs.QueuePairAttributes.Attribute;
import io.verbena.verbs.QueuePairState;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/** Takes a queue pair through its states, one transition at a time. */
final class StateWalk {
    static final AccessFlag[] ACCESS = {AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ};

    private final Endpoint endpoint;
    private final QueuePair pair;
    private final QueuePairAddress peer;

    StateWalk(Endpoint endpoint, Endpoint peer) {
        this.endpoint = endpoint;
        this.pair = endpoint.queuePair();
        this.peer = peer.address();
    }

    /** Takes the shortest legal path from RESET. */
    void reach(QueuePairState target) {
        QueuePairState state = pair.state();
        for (QueuePairState next : way(target)) {
            TransitionRule rule = TransitionRule.of(state, next);
            QueuePairAttributes attributes = attributes(rule, rule.required());
            if (next == QueuePairState.SEND_QUEUE_DRAINED) {
                pair.modify(attributes.drainNotification(true));
                // Until then a device may refuse to leave the state (IBTA 10.3.1).
                endpoint.patience().await("drained", this::isDrained, endpoint::toString);
            } else {
                pair.modify(attributes);
            }
            state = next;
        }
    }

    private boolean isDrained() {
        try {
            return endpoint.context()
                    .awaitAsyncEvent(Duration.ZERO)
                    .filter(event -> event.type() == AsyncEventType.SEND_QUEUE_DRAINED)
                    .isPresent();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    private static List<QueuePairState> way(QueuePairState target) {
        List<QueuePairState> main =
                List.of(
                        QueuePairState.INIT,
                        QueuePairState.READY_TO_RECEIVE,
                        QueuePairState.READY_TO_SEND,
                        QueuePairState.SEND_QUEUE_DRAINED);
        return target == QueuePairState.ERROR
                ? List.of(QueuePairState.INIT, QueuePairState.ERROR)
                : main.subList(0, main.indexOf(target) + 1);
    }

    /** {@return attributes for a transition from the queue pair's current state} */
    QueuePairAttributes attributes(TransitionRule rule, Set<Attribute> given) {
        QueuePairAttributes attributes = QueuePairAttributes.to(rule.to());
        for (Attribute attribute : given) {
            give(attributes, attribute);
        }
        return attributes;
    }

    /** Sets an attribute to a value that is right for this queue pair. */
    void give(QueuePairAttributes attributes, Attribute attribute) {
        switch (attribute) {
            case STATE -> {}
            case CURRENT_STATE -> attributes.currentState(pair.state());
            case DRAIN_NOTIFICATION -> attributes.drainNotification(true);
            case ACCESS -> attributes.access(ACCESS);
            case PKEY_INDEX -> attributes.pkeyIndex(0);
            case PORT -> attributes.port(1);
            case PATH -> attributes.path(peer.gid(), peer.lid(), endpoint.settings().gidIndex());
            case PATH_MTU -> attributes.pathMtu(endpoint.activeMtu());
            case TIMEOUT -> attributes.timeout(14);
            case RETRY_COUNT -> attributes.retryCount(3);
            case RNR_RETRY -> attributes.rnrRetry(6);
            case RECEIVE_PSN -> attributes.receivePacketSequenceNumber(peer.packetSequenceNumber());
            case MAX_READ_ATOMIC -> attributes.maxReadAtomic(1);
            case MIN_RNR_TIMER -> attributes.minRnrTimer(12);
            case SEND_PSN ->
                    attributes.sendPacketSequenceNumber(
                            endpoint.settings().sendPacketSequenceNumber());
            case MAX_DESTINATION_READ_ATOMIC -> attributes.maxDestinationReadAtomic(1);
            case DESTINATION -> attributes.destination(peer.number());
        }
    }
}
