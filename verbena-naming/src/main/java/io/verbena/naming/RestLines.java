// SPDX-License-Identifier: Apache-2.0
package io.verbena.naming;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscribers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The lines of an answer that goes on until one side ends it. For one reader at a time. */
public final class RestLines implements AutoCloseable {
    private static final int OK = 200;

    /** A line, or why there are no more. */
    private record Item(String line, IOException end) {}

    private final LinkedBlockingQueue<Item> items = new LinkedBlockingQueue<>();
    private final Runnable onFailure;
    private CompletableFuture<HttpResponse<Void>> response;
    private volatile boolean isClosed;

    RestLines(Runnable onFailure) {
        this.onFailure = onFailure;
    }

    /** What receives the response. */
    HttpResponse.BodyHandler<Void> handler() {
        return info -> {
            if (info.statusCode() != OK) {
                end(new IOException("status " + info.statusCode()));
            }
            return BodySubscribers.fromLineSubscriber(new Reader());
        };
    }

    void start(CompletableFuture<HttpResponse<Void>> sent) {
        response = sent;
        var _ =
                sent.whenComplete(
                        (_, e) ->
                                end(
                                        e == null
                                                ? new IOException("end of stream")
                                                : new IOException(e)));
    }

    private void end(IOException cause) {
        if (!isClosed) {
            onFailure.run();
        }
        items.add(new Item("", cause));
    }

    /**
     * {@return the next line; empty if there is none in time}
     *
     * @param limit how long to wait
     * @throws IOException if there are no more
     * @throws InterruptedException if this thread was interrupted
     */
    public Optional<String> next(Duration limit) throws IOException, InterruptedException {
        Item item = items.poll(limit.toMillis(), TimeUnit.MILLISECONDS);
        if (item == null) {
            return Optional.empty();
        }
        if (item.end != null) {
            throw new IOException("the stream ended: " + item.end.getMessage(), item.end);
        }
        return Optional.of(item.line);
    }

    /** Closes the connection. */
    @Override
    public void close() {
        isClosed = true;
        response.cancel(true);
    }

    /** Takes all there is: the reader is faster than a registry changes. */
    private final class Reader implements Flow.Subscriber<String> {
        @Override
        public void onSubscribe(Flow.Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(String line) {
            items.add(new Item(line, null));
        }

        @Override
        public void onError(Throwable e) {
            end(new IOException(e));
        }

        @Override
        public void onComplete() {
            end(new IOException("end of stream"));
        }
    }
}
