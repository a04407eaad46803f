// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

/** Queues for tests, without inline data, so that they need no memory regions. */
final class StressQueues {
    private StressQueues() {}

    static SendQueue sendQueue(int capacity) {
        return new SendQueue(capacity, 1, 0, false, null);
    }
}
