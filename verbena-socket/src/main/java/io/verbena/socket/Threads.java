// SPDX-License-Identifier: Apache-2.0
package io.verbena.socket;

/** Waiting for threads that what follows must not overtake. */
final class Threads {
    private Threads() {}

    /** Waits for the end of a thread. An interrupt of the caller is kept for later. */
    static void awaitEnd(Thread thread) {
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
