// SPDX-License-Identifier: Apache-2.0
package io.verbena.tck;

import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.WorkCompletion;
import io.verbena.verbs.WorkCompletionStatus;

/** Takes completions of one queue in bulk, for tests with very many of them. Used by one thread. */
final class BulkPoller {
    private final Endpoint endpoint;
    private final CompletionQueue queue;
    private final WorkCompletion cursor;
    private long taken;
    private int count;
    private int next;

    BulkPoller(Endpoint endpoint, CompletionQueue queue, int capacity) {
        this.endpoint = endpoint;
        this.queue = queue;
        this.cursor = WorkCompletion.allocate(endpoint.arena(), capacity);
    }

    /** Moves to the next successful completion, waiting for it if necessary. */
    WorkCompletion await() {
        if (!hasNow()) {
            endpoint.patience()
                    .await("completion", this::hasNow, () -> endpoint + " after " + taken);
        }
        return advance();
    }

    /** {@return whether {@link #advance} has a completion to move to without waiting} */
    boolean hasNow() {
        if (next == count) {
            count = queue.poll(cursor);
            next = 0;
        }
        return next < count;
    }

    WorkCompletion advance() {
        cursor.at(next++);
        taken++;
        if (cursor.statusCode() != WorkCompletionStatus.SUCCESS.code()) {
            throw new AssertionError("after " + taken + " completions: " + cursor);
        }
        return cursor;
    }
}
