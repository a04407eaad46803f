// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.http.test.EchoRequest;
import io.verbena.http.test.EchoServiceClient;
import io.verbena.rpc.Channel;
import io.verbena.testing.Eventually;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Calls a server without a pause from before an attack until after it, over a connection that it
 * keeps and over a new one for each call. All calls have to be answered within their deadlines.
 */
final class GoodClient {
    private final List<Caller> callers;

    GoodClient(Channel kept, Channel renewed) {
        callers = List.of(new Caller(kept), new Caller(renewed));
    }

    /** Waits until calls that begin now are answered. */
    void expectAnswers() {
        callers.forEach(Caller::expectAnswer);
    }

    /** {@return how many calls were answered} */
    long answered() {
        return callers.stream().mapToLong(caller -> caller.answered.get()).sum();
    }

    /** Ends; fails if a call has failed. */
    void end() throws InterruptedException {
        for (Caller caller : callers) {
            caller.end();
        }
    }

    private static final class Caller {
        private final EchoServiceClient stub;
        private final AtomicLong answered = new AtomicLong();
        private final AtomicReference<Throwable> failure = new AtomicReference<>();
        private final Thread thread;
        private volatile boolean isStopped;

        Caller(Channel channel) {
            stub = new EchoServiceClient(channel);
            thread = Thread.ofVirtual().name("good-client").start(this::run);
        }

        private void run() {
            try {
                while (!isStopped) {
                    String text = "good " + answered.get();
                    EchoRequest request = EchoRequest.newBuilder().setMessage(text).build();
                    assertThat(stub.echo(request).getMessage()).isEqualTo(text);
                    answered.incrementAndGet();
                }
            } catch (Throwable e) {
                failure.set(e);
            }
        }

        /** The next call may have begun already, the one after it has not. */
        void expectAnswer() {
            long enough = answered.get() + 2;
            Eventually.become(
                    () -> failure.get() != null || answered.get() >= enough,
                    () -> "answered: " + answered);
            check();
        }

        private void check() {
            if (failure.get() != null) {
                throw new AssertionError(
                        "a good client, after " + answered + " answers", failure.get());
            }
        }

        void end() throws InterruptedException {
            isStopped = true;
            thread.join();
            check();
        }
    }
}
