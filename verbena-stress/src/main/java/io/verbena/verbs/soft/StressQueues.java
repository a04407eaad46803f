// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** Queues for tests, without inline data, so that they need no memory regions. */
final class StressQueues {
    private static final MemorySegment NO_INLINE = Arena.global().allocate(8, 64);

    private StressQueues() {}

    static SendQueue sendQueue(int capacity) {
        return new SendQueue(capacity, 1, 0, false, (bytes, alignment) -> NO_INLINE, null);
    }
}
