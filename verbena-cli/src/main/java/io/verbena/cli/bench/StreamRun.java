// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.bench;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A run of a lane while it lasts: how much is on its way, and when each exchange ended. Begun by
 * the thread that measures, continued by the one that handles the connection.
 */
final class StreamRun {
    private static final long PATIENCE_S = 120;

    private final long[] stamps;
    private final CompletableFuture<Measurement> result = new CompletableFuture<>();
    private int started;
    private int ended;

    StreamRun(int count) {
        this.stamps = new long[count + 1];
    }

    /** {@return whether one more is to be started, which counts as started then} */
    boolean tryStart() {
        if (started == stamps.length - 1) {
            return false;
        }
        if (started++ == 0) {
            stamps[0] = System.nanoTime();
        }
        return true;
    }

    /** One exchange has ended. */
    void onEnd() {
        stamps[++ended] = System.nanoTime();
        if (ended == stamps.length - 1) {
            result.complete(Measurement.ofStamps(stamps));
        }
    }

    void fail(Throwable cause) {
        result.completeExceptionally(cause);
    }

    Measurement await() {
        try {
            return result.get(PATIENCE_S, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new BenchException("no answer for " + PATIENCE_S + " s", e);
        } catch (ExecutionException e) {
            throw new BenchException("a stream ended: " + e.getCause().getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException("interrupted", e);
        }
    }
}
