// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClientProtocol;
import io.verbena.rpc.spi.ClientRequest;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.StreamEvents;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Makes the calls of a channel that speaks another protocol than {@code baidu_std}: chooses a
 * server for each try, retries, and keeps deadlines. Any thread.
 */
final class ForeignCalls implements ClientExchange.Starter {
    private final CallSettings settings;
    private final ClientProtocol protocol;
    private final StreamTimer timer;
    private final Executor worker;

    /**
     * The calls of a channel.
     *
     * @param settings the channel's
     * @param protocol what it speaks
     * @param timer keeps deadlines; runs no foreign code
     * @param worker runs retries, and ends tries that were given up
     */
    ForeignCalls(
            CallSettings settings, ClientProtocol protocol, StreamTimer timer, Executor worker) {
        this.settings = settings;
        this.protocol = protocol;
        this.timer = timer;
        this.worker = worker;
    }

    void close() {
        protocol.close();
    }

    /** Starts a call with streams. It is tried once: what was written cannot be sent again. */
    @Override
    public ClientStream start(ClientExchange<?, ?> exchange, Optional<Message> request) {
        long limitNs = exchange.limitNs();
        int timeoutMs =
                limitNs == Long.MAX_VALUE
                        ? -1
                        : Math.clamp(TimeUnit.NANOSECONDS.toMillis(limitNs), 1, Integer.MAX_VALUE);
        PendingCall chosen = new PendingCall(0);
        chosen.controller = exchange.controller();
        chosen.controller.method(exchange.method().descriptor());
        Target target = settings.servers().select(chosen);
        if (target == null) {
            TryFailure failure = settings.servers().noServer();
            throw new RpcException(failure.code(), failure.text());
        }
        // how long a stream lives says nothing about its server
        TryFeedback.report(target, 0, RpcError.ECANCELED.code());
        return protocol.start(
                request(
                        target,
                        exchange.method().descriptor(),
                        request,
                        timeoutMs,
                        exchange.controller()),
                exchange);
    }

    private static ClientRequest request(
            Target target,
            MethodDescriptor method,
            Optional<Message> request,
            int timeoutMs,
            ClientController controller) {
        return new ClientRequest(
                target.node().address(),
                method,
                request,
                timeoutMs,
                controller.requestCompressType().code(),
                controller.requestUserFields());
    }

    /** Starts a call with one request and one response, as {@link CallEngine#call} does. */
    void call(
            MethodDescriptor method,
            ClientController controller,
            Message request,
            Message responsePrototype,
            Consumer<Message> done) {
        new Unary(method, controller, request, responsePrototype, done).begin();
    }

    /** A call with one request and one response. */
    private final class Unary {
        private final MethodDescriptor method;
        private final ClientController controller;
        private final Message request;
        private final Message responsePrototype;
        private final Consumer<Message> done;
        private final PendingCall tried = new PendingCall(0);
        private final AtomicBoolean isOver = new AtomicBoolean();
        private final long startNs = System.nanoTime();
        private final long deadlineNs;
        private final int timeoutMs;
        private volatile Optional<Future<?>> deadline = Optional.empty();
        private volatile Try current;
        private int retriesLeft;

        Unary(
                MethodDescriptor method,
                ClientController controller,
                Message request,
                Message responsePrototype,
                Consumer<Message> done) {
            this.method = method;
            this.controller = controller;
            this.tried.controller = controller;
            this.request = request;
            this.responsePrototype = responsePrototype;
            this.done = done;
            this.retriesLeft = controller.maxRetry(settings.options().maxRetry());
            int ownMs = controller.timeoutMs(settings.options().timeoutMs());
            long limitNs =
                    Math.min(
                            CurrentCall.remainingNs(),
                            ownMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(ownMs));
            boolean isUnlimited = limitNs == Long.MAX_VALUE;
            this.deadlineNs = startNs + (isUnlimited ? TimeUnit.DAYS.toNanos(36_500) : limitNs);
            this.timeoutMs =
                    isUnlimited
                            ? -1
                            : Math.clamp(
                                    TimeUnit.NANOSECONDS.toMillis(limitNs), 1, Integer.MAX_VALUE);
        }

        void begin() {
            controller.begin(() -> abandon(RpcError.ECANCELED, "canceled by the caller"));
            if (timeoutMs >= 0) {
                deadline =
                        Optional.of(
                                timer.schedule(
                                        deadlineNs - startNs,
                                        () ->
                                                abandon(
                                                        RpcError.ERPCTIMEDOUT,
                                                        "reached timeout=" + timeoutMs + "ms")));
            }
            send();
        }

        private void send() {
            Try next = new Try();
            current = next;
            try {
                Target target = settings.servers().select(tried);
                if (target == null) {
                    TryFailure failure = settings.servers().noServer();
                    next.onOver(failure.code(), failure.text());
                    return;
                }
                tried.tried.add(target.node());
                long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
                next.started(
                        target,
                        protocol.start(
                                request(
                                        target,
                                        method,
                                        Optional.of(request),
                                        timeoutMs < 0 ? -1 : Math.clamp(leftMs, 1, timeoutMs),
                                        controller),
                                next));
            } catch (Throwable e) {
                next.onOver(RpcError.EINTERNAL.code(), Faults.describe("the call cannot begin", e));
            }
            if (isOver.get()) {
                next.cancel();
            }
        }

        private void abandon(RpcError error, String text) {
            Try last = current;
            if (finish(error.code(), "[E" + error.code() + "]" + text, responsePrototype)) {
                later(last::cancel);
            }
        }

        /** Not on the timer, which keeps the deadlines of others: it runs foreign code. */
        private void later(Runnable step) {
            try {
                worker.execute(step);
            } catch (RejectedExecutionException e) {
                int code = RpcError.ECLOSE.code();
                finish(code, "[E" + code + "]the node is closed", responsePrototype);
            } catch (Throwable e) {
                finishFaulty("the call cannot go on", e);
            }
        }

        private void failed(int code, String text) {
            boolean isTimeLeft = deadlineNs - System.nanoTime() > 0;
            int attempt = controller.maxRetry(settings.options().maxRetry()) - retriesLeft;
            RetryVerdict verdict =
                    isOver.get() || retriesLeft == 0 || !isTimeLeft
                            ? RetryVerdict.NO
                            : RetryVerdict.of(settings.options().retryPolicy(), code, attempt);
            if (!verdict.isRetried() || !settings.budget().tryTake()) {
                finish(verdict.code(code), verdict.text(text), responsePrototype);
                return;
            }
            retriesLeft--;
            if (verdict.backoffNs() > 0) {
                var _ = timer.schedule(verdict.backoffNs(), () -> later(this::send));
            } else {
                later(this::send);
            }
        }

        private boolean finish(int code, String text, Message result) {
            if (!isOver.compareAndSet(false, true)) {
                return false;
            }
            deadline.ifPresent(planned -> planned.cancel(false));
            controller.outcome(code, text);
            controller.latencyNs(System.nanoTime() - startNs);
            Completion.run(done, result);
            return true;
        }

        /** Foreign code has thrown. */
        private void finishFaulty(String what, Throwable fault) {
            TryFailure failure = TryFailure.of(RpcError.EINTERNAL, what, fault);
            finish(failure.code(), failure.text(), responsePrototype);
        }

        /** One try. */
        private final class Try implements StreamEvents {
            private final AtomicBoolean isTold = new AtomicBoolean();
            private final long beganNs = System.nanoTime();
            private volatile Optional<ClientStream> stream = Optional.empty();
            private volatile Exchange.Outcome outcome;
            private volatile Target target;

            void started(Target chosen, ClientStream started) {
                target = chosen;
                stream = Optional.of(started);
                end();
            }

            void cancel() {
                stream.ifPresent(started -> started.cancel(RpcError.ECANCELED.code()));
            }

            @Override
            public void onReadable() {}

            @Override
            public void onWritable() {}

            @Override
            public void onOver(int code, String text) {
                outcome = new Exchange.Outcome(code, text);
                // without a stream, it failed before it began, or is about to be started
                if (target != null || code != 0) {
                    end();
                }
            }

            /** Ends the try, once its outcome is known and its stream is there or never will be. */
            private void end() {
                Exchange.Outcome known = outcome;
                if (known == null || !isTold.compareAndSet(false, true)) {
                    return;
                }
                try {
                    end(known);
                } catch (Throwable e) {
                    // nobody else ends the call before its deadline
                    finishFaulty("the call cannot be ended", e);
                }
            }

            private void end(Exchange.Outcome known) {
                if (target != null) {
                    TryFeedback.report(target, System.nanoTime() - beganNs, known.code());
                }
                if (known.code() != 0) {
                    cancel();
                    failed(known.code(), known.text());
                } else {
                    succeed(stream.orElseThrow());
                }
            }

            private void succeed(ClientStream from) {
                Message response = null;
                String text = "the call succeeded without a response";
                try {
                    response = from.responses().poll(responsePrototype);
                } catch (RpcException e) {
                    text = e.text();
                } catch (Throwable e) {
                    finishFaulty("the response cannot be decoded", e);
                }
                if (response == null) {
                    finish(RpcError.ERESPONSE.code(), text, responsePrototype);
                } else {
                    from.responseUserFields().forEach(controller.responseUserFields()::put);
                    from.connection().ifPresent(controller::connection);
                    finish(0, "", response);
                }
                from.cancel(0);
            }
        }
    }
}
