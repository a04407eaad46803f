// SPDX-License-Identifier: Apache-2.0
package io.verbena.completion;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Threads of a test, waited for with a limit: a thread whose wait is never ended cannot be
 * interrupted.
 */
final class Tasks {
    private static final long LIMIT_S = 40;

    private final List<FutureTask<?>> started = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();

    /** {@return a daemon platform thread, or a virtual one} */
    static Thread.Builder builder(boolean isVirtual) {
        return isVirtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    }

    /** {@return the started thread} */
    Thread start(boolean isVirtual, Callable<?> task) {
        FutureTask<?> future = new FutureTask<>(task);
        started.add(future);
        Thread thread = builder(isVirtual).name("task-" + started.size()).start(future);
        threads.add(thread);
        return thread;
    }

    /** Waits for all of them; fails if one has failed. */
    void await() throws Exception {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        for (int i = 0; i < started.size(); i++) {
            try {
                started.get(i).get(endNs - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                AssertionError late = new AssertionError(threads.get(i) + " does not end", e);
                late.setStackTrace(threads.get(i).getStackTrace());
                throw late;
            }
        }
    }

    /** Waits for a latch, inside a task or a test. */
    static void await(CountDownLatch latch) {
        try {
            if (!latch.await(LIMIT_S, TimeUnit.SECONDS)) {
                throw new AssertionError("not in time");
            }
        } catch (InterruptedException e) {
            throw new AssertionError("an unexpected interrupt", e);
        }
    }
}
