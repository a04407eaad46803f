// SPDX-License-Identifier: Apache-2.0
package io.verbena.grpc;

import io.verbena.completion.Faults;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in order, on the threads that bring them. A thread that finds another
 * inside leaves its task there and goes on: nobody waits.
 *
 * <p>Threads: the thread that raises {@code work} from 0 has the turn and continues until it is 0
 * again, so no task is left behind. Raising and lowering it orders what one holder does before what
 * the next one does.
 */
final class LinkTurn {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger work = new AtomicInteger();
    private final Runnable afterTasks;

    /**
     * A turn.
     *
     * @param afterTasks runs after the tasks that were waiting
     */
    LinkTurn(Runnable afterTasks) {
        this.afterTasks = afterTasks;
    }

    /** Runs a task now, or leaves it to the thread that has the turn. Any thread. */
    void run(Runnable task) {
        tasks.add(task);
        if (work.getAndIncrement() == 0) {
            runAll();
        }
    }

    private void runAll() {
        int done = 1;
        do {
            for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
                runGuarded(task);
            }
            runGuarded(afterTasks);
            done = work.addAndGet(-done);
        } while (done != 0);
    }

    /** Whatever it throws: if the turn were not given back, nobody would have it again. */
    private static void runGuarded(Runnable task) {
        try {
            task.run();
        } catch (Throwable e) {
            Faults.warn(LinkTurn.class, "a task failed", Thread.currentThread(), e);
        }
    }
}
