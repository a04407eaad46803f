// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.EnduringTask;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;

/**
 * The thread of a node for short chores. If an error ends the thread, it is replaced as soon as
 * another one can be started: the JDK's executor tries once, and would then leave what is planned
 * until somebody plans something more.
 */
final class Chores extends ScheduledThreadPoolExecutor {
    /** Starts its thread at once: the first chore may be that no thread can be started. */
    Chores() {
        this(Thread.ofPlatform().daemon().name("verbena-rpc-chores").factory());
    }

    /** As the other one, with what makes its threads. */
    Chores(ThreadFactory threads) {
        super(1);
        setThreadFactory(replaced(this, threads));
        boolean _ = prestartCoreThread();
    }

    /**
     * {@return makes threads that are replaced if they end with an error}
     *
     * @param executor whose threads
     * @param threads makes them
     */
    static ThreadFactory replaced(ThreadPoolExecutor executor, ThreadFactory threads) {
        return worker -> threads.newThread(new EnduringTask(new Shift(executor, worker)));
    }

    /** What a thread does: its work, then, only if that fails, making sure of a successor. */
    private static final class Shift implements Runnable {
        private final ThreadPoolExecutor executor;
        private final Runnable worker;
        private boolean isBegun;

        Shift(ThreadPoolExecutor executor, Runnable worker) {
            this.executor = executor;
            this.worker = worker;
        }

        @Override
        public void run() {
            if (!isBegun) {
                isBegun = true;
                worker.run();
            } else {
                // none is started if there is one, or after the end
                boolean _ = executor.prestartCoreThread();
            }
        }
    }
}
