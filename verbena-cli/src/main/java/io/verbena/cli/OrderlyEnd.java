// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/**
 * Ends a running command cleanly when the JVM shuts down, for example on Ctrl-C: interrupts its
 * thread and gives it a moment to close what it opened.
 */
final class OrderlyEnd {
    private static final int LIMIT_SECONDS = 2;

    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean ending;

    /** {@return whether the JVM is shutting down: any failure from now on is due to that} */
    boolean isEnding() {
        return ending;
    }

    /**
     * {@return the command's exit code}
     *
     * @param command the command to run, on this thread
     */
    int run(IntSupplier command) {
        Thread thread = Thread.currentThread();
        Runtime.getRuntime()
                .addShutdownHook(
                        Thread.ofPlatform().name("orderly-end").unstarted(() -> end(thread)));
        try {
            return command.getAsInt();
        } finally {
            over.countDown();
        }
    }

    private void end(Thread thread) {
        if (over.getCount() == 0) {
            return;
        }
        ending = true;
        thread.interrupt();
        try {
            if (!over.await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                System.err.println("verbena: gave up waiting for the command to end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
