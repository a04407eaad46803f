// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

import io.verbena.completion.Faults;
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
 * queue has been found empty: after that no completion of its last owner can arrive. A queue that
 * fails takes its connections with it, and nothing else.
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

    /** With room for all: a connection must be able to end without memory. */
    private final List<Integer> cooling = new ArrayList<>(SLOTS);

    private int taken;
    private int events;
    private boolean isBroken;

    CompletionPort(DeviceContext context, CompletionChannel channel) {
        this(context.createCompletionQueue(SLOTS * (NumberedSends.DEPTH + RECEIVES), channel, 0));
    }

    /** A port of a queue that is there. */
    CompletionPort(CompletionQueue queue) {
        this.queue = queue;
    }

    CompletionQueue queue() {
        return queue;
    }

    /** {@return whether another connection can use it} */
    boolean hasRoom() {
        return taken < SLOTS && !isBroken;
    }

    /** {@return whether no connection uses it, and none of their completions can arrive} */
    boolean isIdle() {
        return taken == 0;
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
        if (isBroken) {
            releaseCooled();
        }
    }

    private void releaseCooled() {
        for (int slot : cooling) {
            isTaken[slot] = false;
            taken--;
        }
        cooling.clear();
    }

    /**
     * Polls once, hands each completion to its connection, and lets those connections advance.
     *
     * @param cursor holds up to {@link #BATCH} completions
     * @return how many completions there were
     */
    int poll(WorkCompletion cursor) {
        if (isBroken) {
            return 0;
        }
        try {
            int count = queue.poll(cursor);
            if (count == 0 && !cooling.isEmpty()) {
                releaseCooled();
            }
            advance(dispatch(cursor, count));
            return count;
        } catch (Throwable e) { // a provider may throw anything, and completions may be lost
            breakDown(e);
            return 1;
        }
    }

    private void advance(int touchedCount) {
        for (int i = 0; i < touchedCount; i++) {
            SocketEndpoint endpoint = touched[i];
            touched[i] = null;
            endpoint.advance();
        }
    }

    /** {@return how many connections to advance; one that is gone gets no more completions} */
    private int dispatch(WorkCompletion cursor, int count) {
        int touchedCount = 0;
        for (int i = 0; i < count; i++) {
            long id = cursor.at(i).id();
            SocketEndpoint endpoint = endpoints[WorkId.slot(id) & SLOTS - 1];
            if (endpoint != null && endpoint.owner() == WorkId.ownerOf(id)) {
                tell(endpoint, cursor);
                if (touchedCount == 0 || !touched[touchedCount - 1].equals(endpoint)) {
                    touched[touchedCount++] = endpoint;
                }
            }
        }
        return touchedCount;
    }

    private static void tell(SocketEndpoint endpoint, WorkCompletion completion) {
        try {
            endpoint.onCompletion(completion);
        } catch (Throwable e) { // even an undeclared one: others must not suffer
            endpoint.onFault(e);
        }
    }

    /** Asks for an event at the next completion. */
    void arm() {
        if (isBroken) {
            return;
        }
        try {
            queue.requestNotification(Notification.ANY);
        } catch (Throwable e) { // a provider may throw anything; other ports must not suffer
            breakDown(e);
        }
    }

    private void breakDown(Throwable cause) {
        isBroken = true;
        Faults.warn(
                CompletionPort.class,
                "a completion queue failed, and its connections with it",
                taken,
                cause);
        for (SocketEndpoint endpoint : endpoints) {
            if (endpoint != null) {
                endpoint.onQueueFailure(cause);
            }
        }
        releaseCooled();
    }

    /**
     * Counts an event that was taken from the channel; acknowledges many at once. The event thread.
     */
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
