// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes something that may wait for foreign code, and so for ever, without making its user wait
 * for ever.
 */
final class BoundedClose {
    private static final Logger LOG = LoggerFactory.getLogger(BoundedClose.class);

    private BoundedClose() {}

    /**
     * Runs a close on a thread of its own, and waits for it. What it throws reaches the caller; if
     * it takes too long, where it hangs is logged, and it goes on alone. An interrupt is kept. If
     * no thread can be started, the close runs here, without a limit.
     *
     * @param threadName the thread's
     * @param close what to run
     * @param limit how long to wait
     */
    static void run(String threadName, Runnable close, Duration limit) {
        run(Thread.ofPlatform().daemon().name(threadName).factory(), close, limit);
    }

    /** As the other one, with what makes its thread. */
    static void run(ThreadFactory factory, Runnable close, Duration limit) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread thread = factory.newThread(() -> complete(done, close));
        try {
            thread.start();
        } catch (OutOfMemoryError e) {
            LOG.warn("no thread can be started to close on", e);
            complete(done, close);
        }
        long endNs = System.nanoTime() + limit.toNanos();
        boolean isInterrupted = false;
        while (true) {
            try {
                done.get(Math.max(0, endNs - System.nanoTime()), TimeUnit.NANOSECONDS);
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            } catch (TimeoutException e) {
                LOG.warn(
                        "close did not finish within {} ms and continues in the background; its stack: {}",
                        limit.toMillis(),
                        Arrays.toString(thread.getStackTrace()));
                break;
            } catch (ExecutionException e) {
                keepInterrupt(isInterrupted);
                throw unchecked(e.getCause());
            }
        }
        keepInterrupt(isInterrupted);
    }

    private static void complete(CompletableFuture<Void> done, Runnable close) {
        try {
            close.run();
            done.complete(null);
        } catch (Throwable e) { // the caller gets it
            done.completeExceptionally(e);
        }
    }

    private static void keepInterrupt(boolean isInterrupted) {
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static RuntimeException unchecked(Throwable cause) {
        return switch (cause) {
            case RuntimeException e -> e;
            case Error e -> throw e;
            default -> new CompletionException(cause);
        };
    }
}
