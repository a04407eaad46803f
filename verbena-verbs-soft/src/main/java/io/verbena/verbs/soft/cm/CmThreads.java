// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.time.Duration;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The threads of a connection manager: one waits for all peers, one keeps the deadlines, and a few
 * workers do what may take a while. None is virtual: the application's virtual threads may keep all
 * carriers busy indefinitely, and connections begin and end all the same. All end when there is
 * nothing to do.
 *
 * <p>Whatever a task throws is logged and ends that task alone.
 */
final class CmThreads {
    /** How long a thread waits for work before it ends. */
    static final long IDLE_NS = 10_000_000_000L;

    private static final int MAX_WORKERS = 32;

    private final ThreadPoolExecutor workers =
            new ThreadPoolExecutor(
                    MAX_WORKERS,
                    MAX_WORKERS,
                    IDLE_NS,
                    TimeUnit.NANOSECONDS,
                    new LinkedBlockingQueue<>(),
                    named("verbena-cm-work"));
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, named("verbena-cm-timer"));
    private final CmWatch watch = new CmWatch(this);

    CmThreads() {
        workers.allowCoreThreadTimeOut(true);
        timer.setKeepAliveTime(IDLE_NS, TimeUnit.NANOSECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
    }

    /** {@return what waits for messages of peers} */
    CmWatch watch() {
        return watch;
    }

    /** Runs a task that blocks for a short while at most. */
    void execute(Runnable task) {
        Runnable guarded = () -> run(task);
        try {
            workers.execute(guarded);
        } catch (OutOfMemoryError e) {
            // no thread can be made; late is better than never
            log(e);
            guarded.run();
        }
    }

    /** {@return a deadline: runs a task after a while, unless it is cancelled} */
    CmDeadline after(Duration delay, Runnable task) {
        return new CmDeadline(
                timer.schedule(() -> execute(task), delay.toNanos(), TimeUnit.NANOSECONDS));
    }

    /** Runs a task that may block for long, on a thread of its own. */
    static void start(String name, Runnable task) {
        named(name).newThread(() -> run(task)).start();
    }

    static void log(Throwable cause) {
        try {
            System.getLogger(CmThreads.class.getName())
                    .log(
                            System.Logger.Level.WARNING,
                            "a task of the connection manager failed",
                            cause);
        } catch (Throwable e) {
            // a logger is foreign code too, and what follows matters more than the message
            cause.addSuppressed(e);
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            log(e);
        }
    }

    private static ThreadFactory named(String name) {
        return Thread.ofPlatform().daemon().name(name).factory();
    }
}
