// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * What a thread lives for: whatever it throws, it is reported and begun again after a pause, until
 * it returns.
 *
 * <p>For threads that others depend on, around all that they do. A catch clause that reports can
 * itself fail when there is no memory: the first time that a text in it is used, the JVM allocates
 * it. So the one here only keeps what was thrown, and the next round, inside the try, reports it.
 */
public final class EnduringTask implements Runnable {
    /** At once the same may happen again, at full speed. */
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Runnable task;

    /** What the last round threw, until it is reported; or null. */
    private Throwable fault;

    /**
     * A task that has not begun.
     *
     * @param task begun again by the same thread
     */
    public EnduringTask(Runnable task) {
        this.task = task;
    }

    @Override
    public void run() {
        while (!tryRun()) {
            // again
        }
    }

    /** {@return whether it returned} Otherwise the next call reports why not. Never throws. */
    public boolean tryRun() {
        try {
            reportLast();
            task.run();
            return true;
        } catch (Throwable e) {
            fault = e;
            return false;
        }
    }

    private void reportLast() {
        Throwable last = fault;
        if (last != null) {
            fault = null;
            LockSupport.parkNanos(PAUSE_NS);
            Faults.warn(
                    EnduringTask.class,
                    "it failed, and goes on",
                    Thread.currentThread().getName(),
                    last);
        }
    }
}
