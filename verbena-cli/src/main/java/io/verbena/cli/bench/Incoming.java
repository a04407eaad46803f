// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;

/**
 * The receives of a lane, one per slot, prepared once and posted in turn: message number n always
 * lands in slot n modulo their number.
 *
 * <p>One thread. Allocates nothing after construction.
 */
final class Incoming {
    private final QueuePair pair;
    private final ReceiveWorkRequest[] requests;
    private int slot;

    Incoming(Lane lane) {
        Station station = lane.station();
        this.pair = lane.pair();
        this.requests = new ReceiveWorkRequest[lane.slots()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] =
                    ReceiveWorkRequest.allocate(station.arena(), 1)
                            .id(Completions.RECEIVE)
                            .element(station.incoming(), lane.offset(i), lane.bytes());
        }
    }

    /** Posts a number of receives; there must be room for them. */
    void post(int count) {
        for (int i = 0; i < count; i++) {
            if (pair.postReceive(requests[slot]) == 0) {
                throw new BenchException(
                        "the receive queue is full (expected: room for " + count + ")");
            }
            slot = slot + 1 == requests.length ? 0 : slot + 1;
        }
    }
}
