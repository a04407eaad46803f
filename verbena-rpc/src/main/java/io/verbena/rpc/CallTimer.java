// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The thread that wakes calls when their time has come: for the deadline, or for a backup request.
 *
 * <p>It keeps no list. It scans the {@link CallTable}, finds the earliest time, and sleeps until
 * then. Most calls end long before their deadline, and cost only one read of {@code sleepsUntilNs};
 * a call with an earlier time than that wakes the thread.
 *
 * <p>Ordering: a thread publishes its call, then reads {@code sleepsUntilNs}; the timer sets that
 * to "forever", then scans the table. So either the scan finds the call, or the calling thread
 * reads "forever" and wakes the timer.
 */
final class CallTimer {
    /** The shortest time between two scans; deadlines are this precise. */
    private static final long TICK_NS = 1_000_000;

    /** Receives each call whose time has come. The timer owns the call and hands it over. */
    interface Listener {
        /**
         * The time of a call has come.
         *
         * @param call the call, owned and in MOVING
         * @param nowNs the time now
         */
        void onWake(PendingCall call, long nowNs);
    }

    private final CallTable table;
    private final Listener listener;
    private final LongSupplier clock;
    private final Thread thread;

    /**
     * When the thread's sleep ends; {@link Long#MAX_VALUE} while it is awake or sleeps without
     * limit.
     */
    private volatile long sleepsUntilNs = Long.MAX_VALUE;

    private volatile boolean isAsked;

    /** The time that the thread was woken for: it sleeps until then even if that call is over. */
    private volatile long askedNs;

    private volatile boolean isStopped;

    CallTimer(CallTable table, Listener listener, LongSupplier clock) {
        this.table = table;
        this.listener = listener;
        this.clock = clock;
        this.thread =
                Thread.ofPlatform()
                        .name("verbena-rpc-timer")
                        .daemon(true)
                        .unstarted(new EnduringTask(this::run));
    }

    void start() {
        thread.start();
    }

    /** Ends the thread and waits for it. */
    void stop() throws InterruptedException {
        isStopped = true;
        LockSupport.unpark(thread);
        thread.join();
    }

    /** A call was published that needs attention at that time. Any thread. */
    void expect(long wakeNs) {
        long until = sleepsUntilNs;
        if (until == Long.MAX_VALUE || wakeNs - until < 0) {
            askedNs = wakeNs;
            isAsked = true;
            LockSupport.unpark(thread);
        }
    }

    private void run() {
        while (!isStopped) {
            sleepsUntilNs = Long.MAX_VALUE;
            boolean wasAsked = isAsked;
            isAsked = false;
            long now = clock.getAsLong();
            long wait = lookThrough(now);
            if (wasAsked) {
                // otherwise every call of a quiet process would wake this thread
                wait = Math.min(wait, askedNs - now);
            }
            sleep(now, wait);
        }
    }

    private void sleep(long now, long wait) {
        if (wait == Long.MAX_VALUE) {
            if (!isAsked && !isStopped) {
                LockSupport.park(this);
            }
            return;
        }
        long untilNs = now + Math.max(wait, TICK_NS);
        sleepsUntilNs = untilNs;
        // not for as long as before the pass: on a busy machine that may have taken its time
        long left = Math.max(untilNs - clock.getAsLong(), TICK_NS);
        // a call that asked before that store may have been missed by the scan
        LockSupport.parkNanos(this, isAsked ? TICK_NS : left);
    }

    /** {@return how long until the next call needs attention} */
    private long lookThrough(long now) {
        long wait = Long.MAX_VALUE;
        int capacity = table.capacity();
        for (int place = 0; place < capacity; place++) {
            PendingCall call = table.at(place);
            long seen = call.stateWord();
            switch (PendingCall.phase(seen)) {
                case PendingCall.WAITING -> wait = Math.min(wait, look(call, seen, now));
                case PendingCall.MOVING -> wait = Math.min(wait, TICK_NS);
                default -> {}
            }
        }
        return wait;
    }

    /** The calls of the whole process depend on this thread. */
    private void wake(PendingCall call, long now) {
        try {
            listener.onWake(call, now);
        } catch (Throwable e) {
            Faults.warn(CallTimer.class, "waking a call failed", thread.getName(), e);
        }
    }

    private long look(PendingCall call, long seen, long now) {
        long left = call.wakeNs() - now;
        if (left > 0) {
            return left;
        }
        if (call.tryOwnFrom(seen)) {
            wake(call, now);
        }
        // published again with a later time, or just ended: the next scan finds out which
        return TICK_NS;
    }
}
