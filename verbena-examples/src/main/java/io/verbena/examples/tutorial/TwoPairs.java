// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples.tutorial;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.Devices;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairAddress;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;

/**
 * Two queue pairs in one process, not connected yet, and what they need. A tutorial that begins
 * like this can show both sides in one listing. One thread.
 */
final class TwoPairs implements AutoCloseable {
    private static final int DEPTH = 16;

    private final Arena arena = Arena.ofConfined();
    private final DeviceContext context = Devices.open();
    private final ProtectionDomain domain = context.allocateProtectionDomain();
    private final CompletionQueue queue = context.createCompletionQueue(4 * DEPTH);
    private final QueuePair left = createPair();
    private final QueuePair right = createPair();
    private final WorkCompletion completion = WorkCompletion.allocate(arena, 1);

    private QueuePair createPair() {
        return domain.createQueuePair(QueuePairOptions.of(queue).withRequests(DEPTH, DEPTH));
    }

    /** {@return where requests are allocated} */
    Arena arena() {
        return arena;
    }

    DeviceContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    QueuePair left() {
        return left;
    }

    QueuePair right() {
        return right;
    }

    /** {@return what the other side must know; between two processes it travels over TCP} */
    QueuePairAddress address(QueuePair pair) {
        return new QueuePairAddress(
                context.queryGids(1).getFirst().gid(),
                context.queryPort(1).lid(),
                pair.number(),
                0);
    }

    /** {@return the next completion; polls until there is one} */
    WorkCompletion await() {
        while (queue.poll(completion) == 0) {
            Thread.onSpinWait();
        }
        return completion;
    }

    /** {@return whether a completion is there now} */
    boolean isCompleted() {
        return queue.poll(completion) > 0;
    }

    @Override
    public void close() {
        // closing the context closes all that was made from it
        context.close();
        arena.close();
    }
}
