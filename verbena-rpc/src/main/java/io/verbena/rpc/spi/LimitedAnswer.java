// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Waits for the whole answer to a request over HTTP. The time limit that a request of the JDK's
 * {@code HttpClient} may have is over when the headers have arrived: a body that stalls would be
 * waited for without end.
 */
public final class LimitedAnswer {
    private LimitedAnswer() {}

    /**
     * {@return the answer} If it is late, or this thread is interrupted, the request is canceled.
     *
     * @param <T> its type
     * @param answer what {@code sendAsync} has returned
     * @param limit how long it may take, from now to its last byte
     * @throws IOException if there was none, or not all of it in time
     * @throws InterruptedException if this thread was interrupted
     */
    public static <T> T await(CompletableFuture<T> answer, Duration limit)
            throws IOException, InterruptedException {
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw new IOException("no whole answer within " + limit.toMillis() + " ms", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException cause) {
                throw cause;
            }
            throw new IOException(e.getCause());
        } finally {
            // closes the connection; does nothing to an answer that is there
            answer.cancel(true);
        }
    }
}
