// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.completion.Faults;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the answers of a connection take that wait for its client's windows. The client decides how
 * long they wait, so there is only so much room for them.
 *
 * <p>Threads: the holder of the link's turn adds and removes; any other asks whether there is room.
 */
final class WaitingBytes {
    /** What a message takes besides its bytes. */
    private static final int ENTRY_BYTES = 512;

    private final long most;
    private final Set<Runnable> waiters = ConcurrentHashMap.newKeySet();
    private volatile long now;

    /**
     * Nothing waits.
     *
     * @param most when so much waits, there is no room for another message
     */
    WaitingBytes(long most) {
        this.most = most;
    }

    /** {@return what waits now} */
    long now() {
        return now;
    }

    boolean hasRoom() {
        return now < most;
    }

    /**
     * {@return what has to be removed again}
     *
     * @param length of a message
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time writes
    long add(int length) {
        long cost = (long) length + ENTRY_BYTES;
        now += cost;
        return cost;
    }

    /** A message waits no longer. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread at a time writes
    void remove(long cost) {
        now -= cost;
        if (hasRoom() && !waiters.isEmpty()) {
            wake();
        }
    }

    /**
     * Waits for room, once.
     *
     * @param waiter runs when there is some, maybe at once
     */
    void await(Runnable waiter) {
        waiters.add(waiter);
        if (hasRoom()) {
            wake();
        }
    }

    private void wake() {
        // a snapshot: those that have to wait again at once do not run again at once
        for (Runnable waiter : waiters.toArray(new Runnable[0])) {
            if (!hasRoom()) {
                // whoever makes some wakes those that are left
                return;
            }
            if (waiters.remove(waiter)) {
                run(waiter);
            }
        }
    }

    private static void run(Runnable waiter) {
        try {
            waiter.run();
        } catch (Throwable e) {
            Faults.warn(WaitingBytes.class, "a stream cannot be woken", waiter, e);
        }
    }
}
