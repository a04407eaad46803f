// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.completion.Faults;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A task that runs again whenever it is asked to, by one thread at a time. Requests while it runs
 * lead to one more run.
 */
final class SerialTask {
    private static final int IDLE = 0;
    private static final int RUNNING = 1;
    private static final int AGAIN = 2;

    private final Runnable task;
    private final boolean isInline;
    private final AtomicInteger state = new AtomicInteger();

    /**
     * A task that has not run.
     *
     * @param task may throw, which is logged
     * @param isInline whether it runs on the thread that asks for it, or on a virtual thread
     */
    SerialTask(Runnable task, boolean isInline) {
        this.task = task;
        this.isInline = isInline;
    }

    /** Runs it, or has it run again. Never throws. Any thread. */
    void run() {
        if (state.get() == AGAIN) {
            return; // whoever runs it will see what is new: it clears the state first
        }
        if (state.getAndUpdate(now -> now == IDLE ? RUNNING : AGAIN) != IDLE) {
            return;
        }
        if (isInline) {
            loop();
            return;
        }
        try {
            Thread.ofVirtual().name("verbena-rpc-stream").start(this::loop);
        } catch (Throwable e) {
            // no memory for a thread; a listener that is never called would be worse
            loop();
        }
    }

    private void loop() {
        do {
            state.set(RUNNING);
            try {
                task.run();
            } catch (Throwable e) {
                Faults.warn(SerialTask.class, "a callback failed", Thread.currentThread(), e);
            }
        } while (!state.compareAndSet(RUNNING, IDLE));
    }
}
