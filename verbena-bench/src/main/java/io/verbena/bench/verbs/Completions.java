// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.verbs;

import io.verbena.tools.ToolException;
import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Optional;

/**
 * Takes completions and counts them. A receive has an id below zero; a send has the number of its
 * message, counted from 1, so a signaled one says how many are done.
 *
 * <p>One thread. Allocates nothing in polling mode.
 */
final class Completions {
    /** The id of every receive. */
    static final long RECEIVE = Long.MIN_VALUE;

    private static final int BATCH = 32;
    private static final Duration WAIT = Duration.ofSeconds(1);

    private final CompletionQueue queue;
    private final Optional<CompletionChannel> channel;
    private final boolean events;
    private final WorkCompletion cursor;
    private final StallCheck patience;
    private int expectedLength;
    private long received;
    private long sent;

    /**
     * A completion queue of its own.
     *
     * @param context the device
     * @param arena owns the cursor
     * @param depth how many completions it must hold
     * @param events whether to sleep when there are none
     * @param patience when to give up
     */
    Completions(
            DeviceContext context, Arena arena, int depth, boolean events, StallCheck patience) {
        this.events = events;
        this.patience = patience;
        this.channel = events ? Optional.of(context.createCompletionChannel()) : Optional.empty();
        this.queue =
                channel.map(c -> context.createCompletionQueue(depth, c, 0))
                        .orElseGet(() -> context.createCompletionQueue(depth));
        this.cursor = WorkCompletion.allocate(arena, BATCH);
    }

    CompletionQueue queue() {
        return queue;
    }

    /**
     * Starts counting from zero, for a new queue pair and its message length. Completions of a
     * closed one are discarded.
     */
    void restart(int messageLength) {
        int stale;
        do {
            stale = queue.poll(cursor);
        } while (stale > 0);
        expectedLength = messageLength;
        received = 0;
        sent = 0;
    }

    /** {@return how many messages were received} */
    long received() {
        return received;
    }

    /** {@return the highest number of a message known to be done} */
    long sent() {
        return sent;
    }

    /** {@return whether {@link #idle} sleeps, so that there is no need to spin} */
    boolean sleeps() {
        return events;
    }

    /** Takes the available completions. {@return how many there were} */
    int poll() {
        int count = queue.poll(cursor);
        for (int i = 0; i < count; i++) {
            take(cursor.at(i));
        }
        return count;
    }

    /** Waits until that many messages have been received. */
    void awaitReceived(long target) {
        int spins = 0;
        long deadline = 0;
        while (received < target) {
            if (poll() == 0 && (events || (++spins & StallCheck.SPINS) == 0)) {
                deadline = idle(deadline);
            }
        }
    }

    /** Waits until that many messages are done. */
    void awaitSent(long target) {
        int spins = 0;
        long deadline = 0;
        while (sent < target) {
            if (poll() == 0 && (events || (++spins & StallCheck.SPINS) == 0)) {
                deadline = idle(deadline);
            }
        }
    }

    /**
     * The slow path of a loop that finds nothing: checks that the peer is alive and, in event mode,
     * sleeps until something comes.
     *
     * @param deadlineNs what the last call of this loop returned, 0 before the first
     * @return what to give to the next call
     */
    long idle(long deadlineNs) {
        long next = patience.check(deadlineNs);
        return events && sleep() ? 0 : next;
    }

    private boolean sleep() {
        queue.requestNotification(Notification.ANY);
        if (poll() > 0) {
            return true;
        }
        try {
            boolean woken = channel.orElseThrow().awaitEvent(WAIT).isPresent();
            if (woken) {
                queue.acknowledgeEvents(1);
            }
            return woken;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ToolException("interrupted", e);
        }
    }

    private void take(WorkCompletion completion) {
        long id = completion.id();
        if (completion.statusCode() != 0) {
            throw new ToolException("a work request failed: " + completion);
        }
        if (id < 0) {
            received++;
            if (completion.length() != expectedLength) {
                throw new ToolException(
                        "length of a message: "
                                + completion.length()
                                + " (expected: "
                                + expectedLength
                                + ")");
            }
        } else {
            sent = id;
        }
    }
}
