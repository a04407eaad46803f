// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The device's thread: makes the progress that no polling thread makes, keeps deadlines, and
 * otherwise sleeps. It spins for {@value #SPIN_NS} ns after the last piece of work. While the
 * application polls, it wakes every {@value #WATCH_NS} ns to check that the polling goes on.
 */
final class Background implements Runnable {
    private static final long SPIN_NS = 50_000;
    private static final long WATCH_NS = 1_000_000;

    /**
     * A peer that can ring can also overwrite the words that say whether ringing is needed. So the
     * thread also looks unasked now and then: one bad peer must not keep it asleep for the others.
     */
    private static final long LONGEST_SLEEP_NS = 100_000_000;

    private static final long LOG_INTERVAL_NS = 1_000_000_000;

    private final SoftDevice device;
    private final Bells bells;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Set<QueuePairEngine> timed = ConcurrentHashMap.newKeySet();
    private final Consumer<Throwable> faults = this::log;
    private volatile boolean isStopped;

    /** Whether a queue pair has found no memory, and is to run again. */
    private volatile boolean isAnyShort;

    /** What the last round has thrown, until it is reported; or null. */
    private Throwable fault;

    private long lastWorkNs;
    private long lastWatchNs;
    private long lastLookNs;
    private long lastLogNs;

    Background(SoftDevice device) {
        this.device = device;
        this.bells = device.bells();
    }

    /** Runs something on the device's thread. */
    void submit(Runnable task) {
        tasks.add(task);
        bells.wake();
    }

    /** Runs a queue pair when its next deadline has come. */
    void watch(QueuePairEngine pair) {
        timed.add(pair);
        bells.wake();
    }

    /** An application has started to poll. */
    void watchPollers() {
        bells.wake();
    }

    /** Every queue pair runs again, at the next look. Takes no memory. */
    void runAll() {
        isAnyShort = true;
    }

    void stop() {
        isStopped = true;
        bells.doorbell().ring();
    }

    @Override
    public void run() {
        lastWorkNs = System.nanoTime();
        lastWatchNs = lastWorkNs;
        lastLookNs = lastWorkNs;
        while (!isStopped) {
            tryTurnOver();
        }
    }

    private void tryTurnOver() {
        try {
            reportLast();
            turnOver();
            MemoryFault.surface();
        } catch (Throwable e) {
            // Whatever it was, the device's other connections need this thread. So it is only kept:
            // without memory, even the pause may fail when the JVM first sees it.
            fault = e;
        }
    }

    private void reportLast() {
        Throwable last = fault;
        if (last != null) {
            fault = null;
            // it may fail again at once, and for ever if our own memory is gone
            LockSupport.parkNanos(WATCH_NS);
            log(last);
        }
    }

    private void log(Throwable cause) {
        long now = System.nanoTime();
        if (lastLogNs != 0 && now - lastLogNs < LOG_INTERVAL_NS) {
            return;
        }
        lastLogNs = now;
        try {
            System.getLogger(Background.class.getName())
                    .log(System.Logger.Level.WARNING, "a task of the device failed", cause);
        } catch (Throwable e) {
            // a logger is foreign code too, and the thread matters more than the message
            lastLogNs = 0;
        }
    }

    private void turnOver() {
        int ticket = bells.doorbell().ticket();
        boolean worked = runTasks();
        worked |= runMarked();
        long now = System.nanoTime();
        worked |= runTimed(now);
        if (worked) {
            lastWorkNs = now;
        }
        boolean isWatching = true;
        if (now - lastWatchNs >= WATCH_NS) {
            lastWatchNs = now;
            isWatching = checkPollers();
        }
        if (now - lastLookNs >= LONGEST_SLEEP_NS) {
            lastLookNs = now;
            device.peers().checkMemory();
            device.peers().buryDead(faults);
            runShort();
        }
        if (now - lastWorkNs < SPIN_NS) {
            // not just a hint: with few processors, the thread that produces the next work may need
            // this processor
            Thread.yield();
        } else {
            sleep(ticket, isWatching ? WATCH_NS : LONGEST_SLEEP_NS, now);
        }
    }

    private void runShort() {
        if (!isAnyShort) {
            return;
        }
        isAnyShort = false;
        try {
            device.runAll();
        } catch (Throwable e) {
            isAnyShort = true;
            throw e;
        }
    }

    private void sleep(int ticket, long mostNs, long now) {
        bells.sleepingVolatile(true);
        if (!hasWork()) {
            // checked again: the poller of a queue taken over since did not know that we would
            // sleep
            long watchNs = isAnyPolled() ? WATCH_NS : mostNs;
            bells.doorbell().await(ticket, Math.min(watchNs, untilDeadline(now)));
        }
        bells.sleepingVolatile(false);
    }

    private boolean hasWork() {
        if (isStopped || !tasks.isEmpty()) {
            return true;
        }
        for (SoftCompletionQueue queue : device.completionQueues()) {
            if (queue.scheduler().needsBackground()) {
                return true;
            }
        }
        return false;
    }

    private boolean runTasks() {
        boolean ran = false;
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            runTask(task);
            ran = true;
        }
        return ran;
    }

    private void runTask(Runnable task) {
        try {
            task.run();
            MemoryFault.surface();
        } catch (Throwable e) {
            // the tasks after it belong to others
            log(e);
        }
    }

    private boolean runMarked() {
        boolean ran = false;
        for (SoftCompletionQueue queue : device.completionQueues()) {
            ran |= queue.scheduler().runInBackground();
        }
        return ran;
    }

    private boolean checkPollers() {
        boolean isAnyPolled = false;
        for (SoftCompletionQueue queue : device.completionQueues()) {
            isAnyPolled |= queue.scheduler().checkPoller();
        }
        return isAnyPolled;
    }

    private boolean isAnyPolled() {
        for (SoftCompletionQueue queue : device.completionQueues()) {
            if (queue.scheduler().isPolled()) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("ModifyCollectionInEnhancedForLoop") // a concurrent set allows it
    private boolean runTimed(long now) {
        if (timed.isEmpty()) {
            // an iterator would be the only garbage of an idle round
            return false;
        }
        boolean ran = false;
        for (QueuePairEngine pair : timed) {
            if (pair.nextDeadlineNs() == Deadline.NEVER) {
                timed.remove(pair);
                // a deadline set in between was either added before the removal or is seen here
                if (pair.nextDeadlineNs() != Deadline.NEVER) {
                    timed.add(pair);
                }
            } else if (pair.nextDeadlineNs() - now <= 0) {
                pair.run(true);
                ran = true;
            }
        }
        return ran;
    }

    private long untilDeadline(long now) {
        long least = Long.MAX_VALUE;
        if (timed.isEmpty()) {
            return least;
        }
        for (QueuePairEngine pair : timed) {
            long deadline = pair.nextDeadlineNs();
            if (deadline != Deadline.NEVER) {
                least = Math.min(least, Math.max(1, deadline - now));
            }
        }
        return least;
    }
}
