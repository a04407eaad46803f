// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs.ibv;

/** Waits for the end of our threads that use native memory. */
final class ThreadEnd {
    private ThreadEnd() {}

    /** Waits for the end of a thread, even if interrupted: what the thread uses must outlive it. */
    static void await(Thread thread) {
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException _) {
                // Passed on below.
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
