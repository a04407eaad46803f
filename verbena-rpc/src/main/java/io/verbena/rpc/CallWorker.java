// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.EnduringTask;
import io.verbena.completion.Faults;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs tasks that may run foreign code, usually one after the other on one thread. If nothing gets
 * done for a while although tasks wait, another thread takes over.
 *
 * <p>Platform threads: a caller must learn that its server is gone even while computing virtual
 * threads occupy all carriers.
 */
final class CallWorker implements Executor {
    /** So many tasks may block at once; those behind them wait. */
    static final int MOST_THREADS = 64;

    /** How long tasks wait for one that takes its time. */
    private static final long PATIENCE_NS = 10_000_000;

    /** After no thread could be started. */
    private static final long PAUSE_NS = 1_000_000_000;

    private static final long IDLE_SECONDS = 1;
    private static final long UNKNOWN = -1;

    private final ThreadPoolExecutor threads;

    /**
     * Starts further threads. Whoever starts one waits until it runs, and on a busy machine that
     * takes long: neither deadlines nor those who bring tasks may wait for that.
     */
    private final Thread relief;

    /** Whether that thread sleeps until it is called. */
    private volatile boolean isResting;

    private volatile boolean isOver;

    /**
     * How many tasks were done when tasks were last seen waiting. Like the next of {@link #relief}.
     */
    private long doneBefore = UNKNOWN;

    private long seenNs;

    /** A worker without tasks. */
    CallWorker() {
        this(Thread.ofPlatform().daemon().name("verbena-rpc-worker").factory());
    }

    /** As the other one, with what makes the threads that run tasks. */
    CallWorker(ThreadFactory factory) {
        this.threads = pool(factory);
        this.relief =
                Thread.ofPlatform()
                        .daemon()
                        .name("verbena-rpc-relief")
                        .unstarted(new EnduringTask(this::lookAfter));
    }

    @SuppressWarnings("ErroneousThreadPoolConstructorChecker") // it grows when it is told to
    private static ThreadPoolExecutor pool(ThreadFactory factory) {
        return new ThreadPoolExecutor(
                1,
                MOST_THREADS,
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                factory);
    }

    /**
     * Starts its threads: the first task may be that nothing else can be started.
     *
     * @throws OutOfMemoryError if no thread can be started
     */
    void start() {
        boolean _ = threads.prestartCoreThread();
        relief.start();
    }

    /** Never throws: its thread ends if a task throws, and there may be no other. */
    private static void run(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Faults.warn(CallWorker.class, "a task failed", Thread.currentThread().getName(), e);
        }
    }

    @Override
    public void execute(Runnable task) {
        Runnable guarded = () -> run(task);
        try {
            threads.execute(guarded);
        } catch (OutOfMemoryError e) {
            // no further thread can be started: those that are there run the task
            if (threads.getPoolSize() == 0 || !threads.getQueue().offer(guarded)) {
                throw e;
            }
        }
        if (isResting && !threads.getQueue().isEmpty()) {
            LockSupport.unpark(relief);
        }
    }

    private void lookAfter() {
        while (!isOver) {
            long wait = tryRelieve();
            if (wait == Long.MAX_VALUE) {
                rest();
            } else {
                LockSupport.parkNanos(this, wait);
            }
        }
    }

    private long tryRelieve() {
        try {
            return relieve(System.nanoTime());
        } catch (Throwable e) {
            Faults.warn(CallWorker.class, "a thread could not be relieved", relief.getName(), e);
            return PAUSE_NS;
        }
    }

    /** Whoever brings a task from now on sees the flag; one that came before is seen here. */
    private void rest() {
        isResting = true;
        if (threads.getQueue().isEmpty() && !isOver) {
            LockSupport.park(this);
        }
        isResting = false;
    }

    /** {@return how long until this must be called again} One thread. */
    long relieve(long nowNs) {
        if (threads.getQueue().isEmpty()) {
            doneBefore = UNKNOWN;
            if (threads.getCorePoolSize() > 1) {
                threads.setCorePoolSize(1);
            }
            return Long.MAX_VALUE;
        }
        if (doneBefore != UNKNOWN && nowNs - seenNs < PATIENCE_NS) {
            return PATIENCE_NS - (nowNs - seenNs);
        }
        long done = threads.getCompletedTaskCount();
        if (done == doneBefore) {
            addThread();
        }
        doneBefore = done;
        seenNs = nowNs;
        return PATIENCE_NS;
    }

    private void addThread() {
        try {
            threads.setCorePoolSize(Math.min(threads.getPoolSize() + 1, MOST_THREADS));
            // unless that has done it
            boolean _ = threads.prestartCoreThread();
        } catch (Throwable e) {
            // otherwise each task would need a new thread instead of waiting for those that are
            // there
            threads.setCorePoolSize(Math.max(1, threads.getPoolSize()));
            throw e;
        }
    }

    /** Takes no more tasks. Those that wait are still run. */
    void shutdown() {
        threads.shutdown();
        isOver = true;
        LockSupport.unpark(relief);
    }
}
