// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport.rdma;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Lets threads in until it is closed; closing waits for those inside. Any thread.
 *
 * <p>A read-write lock would do the same, but its readers count themselves in objects of their
 * threads: a reader that finds no memory for that has the lock, does not know it, and keeps the
 * writer out for ever. This one takes no memory.
 */
final class MakersGate {
    private static final int CLOSED = Integer.MIN_VALUE;

    /** How many are inside, and whether it is closed. */
    private final AtomicInteger state = new AtomicInteger();

    private final CountDownLatch empty = new CountDownLatch(1);

    /** {@return whether the caller is inside now, and must {@link #leave}} */
    boolean tryEnter() {
        if (state.incrementAndGet() < 0) {
            leave();
            return false;
        }
        return true;
    }

    void leave() {
        if (state.decrementAndGet() == CLOSED) {
            empty.countDown();
        }
    }

    /** Lets no more in, and waits until nobody is inside. Idempotent. */
    void close() {
        int now;
        do {
            now = state.get();
        } while (!state.compareAndSet(now, now | CLOSED));
        if (now == 0) {
            empty.countDown();
        }
        awaitEmpty();
    }

    private void awaitEmpty() {
        boolean isInterrupted = false;
        while (true) {
            try {
                empty.await();
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
