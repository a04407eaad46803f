// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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

    private static final VarHandle DRIVES;
    private static final VarHandle FINDS;

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            DRIVES = lookup.findVarHandle(Waiters.class, "drives", long.class);
            FINDS = lookup.findVarHandle(Waiters.class, "finds", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AtomicInteger polling = new AtomicInteger();
    private final AtomicInteger parked = new AtomicInteger();
    private final AtomicInteger resuming = new AtomicInteger();
    private final AtomicReferenceArray<WaitingThread> candidates =
            new AtomicReferenceArray<>(CANDIDATES);
    private final int mostPolling;

    @SuppressWarnings("unused") // accessed through DRIVES
    private long drives;

    @SuppressWarnings("unused") // accessed through FINDS
    private long finds;

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

    /** {@return how often they have polled} */
    long drives() {
        return (long) DRIVES.getOpaque(this);
    }

    /** {@return how often they have found something} */
    long finds() {
        return (long) FINDS.getOpaque(this);
    }

    /** One of them has polled. Inside the turn: there is one writer at a time. */
    void countDrive(boolean hasFound) {
        DRIVES.setOpaque(this, drives() + 1);
        if (hasFound) {
            FINDS.setOpaque(this, finds() + 1);
        }
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
