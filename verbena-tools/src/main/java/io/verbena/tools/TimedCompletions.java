// SPDX-License-Identifier: Apache-2.0

package io.verbena.tools;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.WorkCompletion;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Optional;

/**
 * A completion queue that yields one completion after another, spinning or sleeping, but never for
 * longer than the caller allows. One thread.
 */
public final class TimedCompletions implements AutoCloseable {
    private static final int BATCH = 16;

    /** How many times to spin between two readings of the clock, less one: a mask. */
    private static final int SPINS = (1 << 10) - 1;

    private final CompletionQueue queue;
    private final Optional<CompletionChannel> channel;
    private final WorkCompletion cursor;
    private int taken;
    private int next;

    /**
     * A completion queue of its own.
     *
     * @param context the device
     * @param arena owns the cursor
     * @param depth how many completions it must hold
     * @param events whether to sleep until an event comes, rather than spin
     */
    public TimedCompletions(DeviceContext context, Arena arena, int depth, boolean events) {
        channel = events ? Optional.of(context.createCompletionChannel()) : Optional.empty();
        queue =
                channel.map(c -> context.createCompletionQueue(depth, c, 0))
                        .orElseGet(() -> context.createCompletionQueue(depth));
        cursor = WorkCompletion.allocate(arena, BATCH);
    }

    /** {@return the queue, for queue pairs to use} */
    public CompletionQueue queue() {
        return queue;
    }

    /** {@return the completion taken last; valid until the next is taken} */
    public WorkCompletion current() {
        return cursor;
    }

    /**
     * Takes the next completion.
     *
     * @param limit how long to wait for it
     * @return whether there was one; if so, it is {@link #current()}
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean await(Duration limit) throws InterruptedException {
        if (advance()) {
            return true;
        }
        long deadline = System.nanoTime() + limit.toNanos();
        return channel.isPresent() ? sleep(channel.get(), deadline) : spin(deadline);
    }

    /** Closes the queue; close the queue pairs that use it first. */
    @Override
    public void close() {
        queue.close();
        channel.ifPresent(CompletionChannel::close);
    }

    private boolean advance() {
        if (next == taken) {
            next = 0;
            taken = queue.poll(cursor);
        }
        if (next == taken) {
            return false;
        }
        cursor.at(next++);
        return true;
    }

    private boolean spin(long deadline) throws InterruptedException {
        for (int turn = 1; !advance(); turn++) {
            Thread.onSpinWait();
            if ((turn & SPINS) == 0) {
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
                if (System.nanoTime() - deadline > 0) {
                    return false;
                }
                // The peer may be waiting for this very processor.
                Thread.yield();
            }
        }
        return true;
    }

    private boolean sleep(CompletionChannel events, long deadline) throws InterruptedException {
        while (true) {
            queue.requestNotification(Notification.ANY);
            // Completions that came before the request cause no event.
            if (advance()) {
                return true;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            if (events.awaitEvent(Duration.ofNanos(left)).isPresent()) {
                queue.acknowledgeEvents(1);
            }
        }
    }
}
