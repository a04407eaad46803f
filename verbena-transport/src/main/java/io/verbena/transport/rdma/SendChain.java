// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.SendOpcode;
import io.verbena.verbs.SendWorkRequest;
import java.lang.foreign.Arena;

/**
 * Send requests that are posted together, with one doorbell. Used inside the posting turn.
 *
 * <p>A chain is short: the peer should be reading the first part of a large message while the next
 * is described.
 */
final class SendChain {
    /** The most requests of one chain. */
    static final int LENGTH = 8;

    private final Arena arena = Arena.ofShared();
    private final SendWorkRequest[] requests = new SendWorkRequest[LENGTH];
    private int count;

    /**
     * Allocates the requests.
     *
     * @param maxElements how many elements each may have
     */
    SendChain(int maxElements) {
        for (int i = 0; i < LENGTH; i++) {
            requests[i] =
                    SendWorkRequest.allocate(arena, maxElements)
                            .opcode(SendOpcode.SEND_WITH_IMMEDIATE);
        }
    }

    /** {@return the request to fill in before {@link #add}} */
    SendWorkRequest blank() {
        return requests[count];
    }

    /** Adds the request that was filled in; {@return whether the chain must be posted now} */
    boolean add() {
        SendWorkRequest added = requests[count].next(null);
        if (count > 0) {
            requests[count - 1].next(added);
        }
        count++;
        return count == LENGTH;
    }

    /** Posts what was added, if anything. */
    void post(QueuePair queuePair) {
        int length = count;
        if (length == 0) {
            return;
        }
        // emptied first: if the queue pair refuses a request, its connection ends, and so do all
        count = 0;
        if (queuePair.postSend(requests[0]) != length) {
            throw new IllegalStateException("more sends than the queue pair has places");
        }
    }

    /** Frees the requests; the turn is closed and empty. */
    void close() {
        arena.close();
    }
}
