// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.verbs.CompletionChannel;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionQueue.Notification;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.WorkCompletion;
import java.util.ArrayList;
import java.util.List;

/**
 * A completion queue that several connections share, deep enough that they cannot overflow it.
 *
 * <p>Threads: the holder of the loop's turn. A slot that was given back is not reused until the
 * queue has been found empty: after that no completion of its last owner can arrive.
 */
final class CompletionPort {
    /** Connections per queue. */
    static final int SLOTS = 64;

    /** The most completions taken by one poll. */
    static final int BATCH = 64;

    private static final int RECEIVES = ReceiveSlots.NATIVE_COUNT + ReceiveSlots.SEED_COUNT;
    private static final int ACKNOWLEDGE_AT = 64;

    private final CompletionQueue queue;
    private final SocketEndpoint[] endpoints = new SocketEndpoint[SLOTS];
    private final SocketEndpoint[] touched = new SocketEndpoint[BATCH];
    private final boolean[] isTaken = new boolean[SLOTS];
    private final long[] generations = new long[SLOTS];
    private final List<Integer> cooling = new ArrayList<>();
    private int taken;
    private int events;

    CompletionPort(DeviceContext context, CompletionChannel channel) {
        this.queue =
                context.createCompletionQueue(SLOTS * (PostedSends.DEPTH + RECEIVES), channel, 0);
    }

    CompletionQueue queue() {
        return queue;
    }

    boolean isFull() {
        return taken == SLOTS;
    }

    /** {@return the part that all work request numbers of a new connection share} */
    long claim() {
        int slot = 0;
        while (isTaken[slot]) {
            slot++;
        }
        isTaken[slot] = true;
        taken++;
        return WorkId.owner(++generations[slot], slot);
    }

    /** Delivers the completions of a claimed slot to an endpoint from now on. */
    void occupy(long owner, SocketEndpoint endpoint) {
        endpoints[WorkId.slot(owner)] = endpoint;
    }

    /** The queue pair of a connection is closed, or was never made. */
    void vacate(long owner) {
        endpoints[WorkId.slot(owner)] = null;
        cooling.add(WorkId.slot(owner));
    }

    /**
     * Polls once, hands each completion to its connection, and lets those connections advance.
     *
     * @param cursor holds up to {@link #BATCH} completions
     * @return how many completions there were
     */
    int poll(WorkCompletion cursor) {
        int count = queue.poll(cursor);
        if (count == 0 && !cooling.isEmpty()) {
            for (int slot : cooling) {
                isTaken[slot] = false;
                taken--;
            }
            cooling.clear();
        }
        int touchedCount = dispatch(cursor, count);
        for (int i = 0; i < touchedCount; i++) {
            SocketEndpoint endpoint = touched[i];
            touched[i] = null;
            endpoint.advance();
        }
        return count;
    }

    /** {@return how many connections to advance; one that is gone gets no more completions} */
    private int dispatch(WorkCompletion cursor, int count) {
        int touchedCount = 0;
        for (int i = 0; i < count; i++) {
            long id = cursor.at(i).id();
            SocketEndpoint endpoint = endpoints[WorkId.slot(id) & SLOTS - 1];
            if (endpoint != null && endpoint.owner() == WorkId.ownerOf(id)) {
                endpoint.onCompletion(cursor);
                if (touchedCount == 0 || !touched[touchedCount - 1].equals(endpoint)) {
                    touched[touchedCount++] = endpoint;
                }
            }
        }
        return touchedCount;
    }

    void arm() {
        queue.requestNotification(Notification.ANY);
    }

    /** Counts an event that was taken from the channel; acknowledges many at once. */
    void onEvent() {
        if (++events == ACKNOWLEDGE_AT) {
            queue.acknowledgeEvents(events);
            events = 0;
        }
    }

    void close() {
        queue.acknowledgeEvents(events);
        queue.close();
    }
}
