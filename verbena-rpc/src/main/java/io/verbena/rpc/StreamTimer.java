// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Ends calls with streams whose time is over. Any thread. */
final class StreamTimer {
    private final ScheduledThreadPoolExecutor executor;

    StreamTimer() {
        executor =
                new ScheduledThreadPoolExecutor(
                        1,
                        // the node is closed, and all its calls are over
                        new ThreadPoolExecutor.DiscardPolicy());
        executor.setThreadFactory(
                Chores.replaced(
                        executor,
                        Thread.ofPlatform().daemon().name("verbena-rpc-stream-timer").factory()));
        executor.setRemoveOnCancelPolicy(true);
        // the thread starts with the first deadline
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * {@return cancels it}
     *
     * @param delayNs how long from now
     * @param action must not block
     */
    Future<?> schedule(long delayNs, Runnable action) {
        return executor.schedule(action, delayNs, TimeUnit.NANOSECONDS);
    }

    void stop() {
        executor.shutdownNow();
    }
}
