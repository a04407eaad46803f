// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The threads that wait for a poller's completions: how many poll, how many are parked, and how
 * many were just resumed and will come back soon.
 *
 * <p>Any thread. Each counter is changed by a full fence before the others are read, so that of two
 * threads that change two of them at once at least one sees both changes.
 */
final class Waiters {
    /** A few are enough: they are only asked for one that can poll next. */
    private static final int CANDIDATES = 16;

    private final AtomicInteger polling = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private final AtomicInteger resuming = new AtomicInteger();
    private final AtomicReferenceArray<WaitingThread> candidates =
            new AtomicReferenceArray<>(CANDIDATES);
    private final int mostPolling;

    Waiters(int mostPolling) {
        this.mostPolling = mostPolling;
    }

    /** {@return whether one more thread may poll; {@link #endPolling} must follow} */
    boolean tryPoll() {
        int now = polling.get();
        return now < mostPolling && polling.compareAndSet(now, now + 1);
    }

    void endPolling() {
        polling.decrementAndGet();
    }

    boolean isAnyPolling() {
        return polling.get() > 0;
    }

    boolean isAnyResuming() {
        return resuming.getOpaque() > 0;
    }

    /** {@return whether parked threads depend on the poller's own thread} */
    boolean needThread() {
        // below zero for a moment: a thread may resume before it was counted
        return parked.get() > 0 && polling.get() == 0 && resuming.get() <= 0;
    }

    void onParking() {
        parked.incrementAndGet();
    }

    void onParkedBack() {
        parked.decrementAndGet();
    }

    /** A parked thread is being resumed. */
    void onResuming() {
        resuming.incrementAndGet();
        parked.decrementAndGet();
    }

    void onRunning() {
        resuming.decrementAndGet();
    }

    /** A parked virtual thread may be called to poll: resuming it is cheap. */
    void offer(WaitingThread waiter) {
        candidates.compareAndSet(waiter.spread() & CANDIDATES - 1, null, waiter);
    }

    void withdraw(WaitingThread waiter) {
        int place = waiter.spread() & CANDIDATES - 1;
        if (waiter.equals(candidates.getOpaque(place))) {
            candidates.compareAndSet(place, waiter, null);
        }
    }

    /** {@return whether a parked thread was called to poll in place of one that leaves} */
    boolean tryCallOne() {
        for (int i = 0; i < CANDIDATES; i++) {
            WaitingThread waiter = candidates.getAcquire(i);
            if (waiter != null && waiter.tryCall()) {
                onResuming();
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return polling + " polling, " + parked + " parked, " + resuming + " resuming";
    }
}
