// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;

/**
 * The receives of a pair, one per slot, prepared once and posted in turn: message number n always
 * lands in slot n modulo their number.
 *
 * <p>One thread. Allocates nothing after construction.
 */
final class Incoming {
    private final QueuePair queuePair;
    private final ReceiveWorkRequest[] requests;
    private int slot;

    Incoming(SizedPair pair) {
        Station station = pair.station();
        this.queuePair = pair.queuePair();
        this.requests = new ReceiveWorkRequest[pair.slots()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] =
                    ReceiveWorkRequest.allocate(station.arena(), 1)
                            .id(Completions.RECEIVE)
                            .element(station.incoming(), pair.offset(i), pair.bytes());
        }
    }

    /** Posts a number of receives; there must be room for them. */
    void post(int count) {
        for (int i = 0; i < count; i++) {
            if (queuePair.postReceive(requests[slot]) == 0) {
                throw new ToolException(
                        "the receive queue is full (expected: room for " + count + ")");
            }
            slot = slot + 1 == requests.length ? 0 : slot + 1;
        }
    }
}
