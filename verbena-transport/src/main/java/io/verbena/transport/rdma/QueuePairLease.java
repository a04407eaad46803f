// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.QueuePair;
import java.util.Optional;

/**
 * A queue pair that belongs to one connection.
 *
 * @param dispatcher whose thread serves it
 * @param slot where its completions go
 * @param queuePair the queue pair
 * @param identifier made it and moves its state, if the connection manager is used
 */
record QueuePairLease(
        Dispatcher dispatcher,
        QueuePairSlot slot,
        QueuePair queuePair,
        Optional<ConnectionIdentifier> identifier) {

    /** {@return the number of a work request in this use of the slot} */
    long requestId(int count) {
        return WorkRequestId.of(slot.generation(), slot.index(), count);
    }

    /** {@return the most bytes of an inline send} */
    int maxInlineBytes() {
        return queuePair.options().maxInlineBytes();
    }

    /** {@return the most elements of a send} */
    int maxElements() {
        return queuePair.options().maxSendElements();
    }
}
