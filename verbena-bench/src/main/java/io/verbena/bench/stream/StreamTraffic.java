// SPDX-License-Identifier: Apache-2.0

package io.verbena.bench.stream;

import io.verbena.bench.measure.Measurement;
import io.verbena.tools.ToolException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The exchanges of a connection: each answer is timed and starts the next exchange. The measuring
 * thread begins a run, and the connection's thread continues it.
 */
final class StreamTraffic {
    private static final long PATIENCE_S = 120;

    private final StreamOrder order;
    private final int atOnce;
    private final Runnable sender;
    private volatile Run running = new Run(1);

    /**
     * The exchanges of one connection.
     *
     * @param order what the server does
     * @param atOnce how many exchanges are under way at a time, unless it echoes
     * @param sender sends what starts an exchange
     */
    StreamTraffic(StreamOrder order, int atOnce, Runnable sender) {
        this.order = order;
        this.atOnce = order.task() == StreamOrder.Task.ECHO ? 1 : atOnce;
        this.sender = sender;
    }

    /** {@return a number of exchanges, timed} */
    Measurement run(int count) {
        Run run = new Run(count);
        running = run;
        int first = Math.min(atOnce, count);
        // counted before the first write: answers may come while this thread still writes
        for (int i = 0; i < first; i++) {
            run.tryStart();
        }
        for (int i = 0; i < first; i++) {
            sender.run();
        }
        return run.await();
    }

    /** {@return how many bytes an answer has} */
    int answerBytes() {
        return order.task() == StreamOrder.Task.ECHO ? order.bytes() : 1;
    }

    /** An answer is complete. */
    void onAnswer() {
        Run run = running;
        boolean isMore = run.tryStart();
        run.onEnd();
        if (isMore) {
            sender.run();
        }
    }

    /** The connection has ended. */
    void fail(Throwable cause) {
        running.result.completeExceptionally(cause);
    }

    /** One run: how many exchanges were started, and when each of them ended. */
    static final class Run {
        private final long[] stamps;
        private final CompletableFuture<Measurement> result = new CompletableFuture<>();
        private int started;
        private int ended;

        Run(int count) {
            this.stamps = new long[count + 1];
        }

        /** {@return whether to start one more; if so, it counts as started} */
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

        Measurement await() {
            try {
                return result.get(PATIENCE_S, TimeUnit.SECONDS);
            } catch (TimeoutException e) {
                throw new ToolException("no answer for " + PATIENCE_S + " s", e);
            } catch (ExecutionException e) {
                throw new ToolException("a stream ended: " + e.getCause().getMessage(), e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ToolException("interrupted", e);
            }
        }
    }
}
