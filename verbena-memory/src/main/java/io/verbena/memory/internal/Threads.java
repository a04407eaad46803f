// SPDX-License-Identifier: Apache-2.0
package io.verbena.memory.internal;

/** Waiting for threads that must end before the next step. */
public final class Threads {
    private Threads() {}

    /**
     * Waits for a thread to end. If the caller is interrupted meanwhile, it keeps waiting and has
     * its interrupt status set afterwards.
     *
     * @param thread which
     */
    public static void awaitEnd(Thread thread) {
        boolean isInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
