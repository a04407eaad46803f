// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.soft.cm;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Runs an action after a while unless it is cancelled; a virtual thread that waits. */
final class CmDeadline {
    private final CountDownLatch cancelled = new CountDownLatch(1);

    private CmDeadline() {}

    /** {@return a deadline that runs from now} */
    static CmDeadline start(Duration after, Runnable action) {
        CmDeadline deadline = new CmDeadline();
        Thread.ofVirtual()
                .name("verbena-cm-deadline")
                .start(() -> deadline.await(after.toNanos(), action));
        return deadline;
    }

    /** Stops it. An action that has begun goes on. */
    void cancel() {
        cancelled.countDown();
    }

    private void await(long nanos, Runnable action) {
        try {
            if (!cancelled.await(nanos, TimeUnit.NANOSECONDS)) {
                action.run();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("nobody knows this thread", e);
        }
    }
}
