// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import io.verbena.memory.Block;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.ReceiveWorkRequest;
import java.lang.foreign.Arena;

/** Receives that are posted with one call. Used by one thread at a time. */
final class ReceiveBatch {
    private final ReceiveWorkRequest[] requests;
    private int count;

    ReceiveBatch(Arena arena, int capacity) {
        this.requests = new ReceiveWorkRequest[capacity];
        for (int i = 0; i < capacity; i++) {
            requests[i] = ReceiveWorkRequest.allocate(arena, 1).elementCount(1);
        }
    }

    boolean isFull() {
        return count == requests.length;
    }

    /** Adds a receive into a whole block. */
    void add(long id, Block block) {
        ReceiveWorkRequest request = requests[count];
        request.id(id).next(null);
        request.element(0).set(block.address(), block.capacity(), (int) block.lkey());
        if (count > 0) {
            requests[count - 1].next(request);
        }
        count++;
    }

    /** Posts what was added; {@return whether the device took all of it} */
    boolean post(QueuePair pair) {
        int wanted = count;
        count = 0;
        return wanted == 0 || pair.postReceive(requests[0]) == wanted;
    }

    /** Discards what was added. */
    void drop() {
        count = 0;
    }
}
