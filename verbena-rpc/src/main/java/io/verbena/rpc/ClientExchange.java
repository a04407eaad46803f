// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.completion.Faults;
import io.verbena.rpc.spi.ClientStream;
import io.verbena.rpc.spi.MessageSink;
import io.verbena.rpc.spi.MessageSource;
import io.verbena.transport.Connection;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

/**
 * A call with streams that this process makes. Its reader and writer exist before the protocol has
 * a stream for it: until then nothing arrives, and there is no room.
 *
 * @param <Q> the requests' class
 * @param <R> the responses' class
 */
final class ClientExchange<Q extends Message, R extends Message> extends Exchange {
    /** Starts the call over some protocol. */
    @FunctionalInterface
    interface Starter {
        /**
         * {@return the stream of a call} Never throws; what goes wrong is reported.
         *
         * @param exchange told of everything
         * @param request the request, if the method has one
         */
        ClientStream start(ClientExchange<?, ?> exchange, Optional<Message> request);
    }

    /** In place of the interceptors, once the call is over: they hear of it at once. */
    private static final Consumer<Message> OVER = new Over();

    private final RpcMethod<Q, R> method;
    private final ClientController controller;
    private final boolean isControllerOwn;
    private final CallSettings settings;
    private final Starter starter;
    private final PolledReader<R> responses;
    private final PolledWriter<Q> requests;
    private final long startNs = System.nanoTime();
    private volatile Optional<Future<?>> deadline = Optional.empty();
    private volatile Optional<ClientStream> stream = Optional.empty();

    /** Where the interceptors hear of the end; null while they have not passed the call on. */
    private final AtomicReference<Consumer<Message>> told = new AtomicReference<>();

    /** What an interceptor has answered in place of the server; null if none has. */
    private volatile Message instead;

    private volatile boolean isHalfClosed;
    private volatile boolean isDropped;

    ClientExchange(
            RpcMethod<Q, R> method,
            ClientController controller,
            boolean isControllerOwn,
            CallSettings settings,
            Starter starter) {
        this.method = method;
        this.controller = controller;
        this.isControllerOwn = isControllerOwn;
        this.settings = settings;
        this.starter = starter;
        this.responses = new PolledReader<>(this, new Arriving(), method.responsePrototype());
        this.requests = new PolledWriter<>(this, new Leaving());
        reader(responses);
        writer(requests);
    }

    RpcMethod<Q, R> method() {
        return method;
    }

    ClientController controller() {
        return controller;
    }

    CallSettings settings() {
        return settings;
    }

    StreamReader<R> responses() {
        return responses;
    }

    StreamWriter<Q> requests() {
        return requests;
    }

    /**
     * Starts the call, after its interceptors.
     *
     * @param request the request, or an empty one if the method has many
     */
    void begin(Q request, StreamTimer timer) {
        long limitNs = limitNs();
        controller.begin(this::cancelByCaller);
        if (limitNs < Long.MAX_VALUE) {
            deadline = Optional.of(timer.schedule(limitNs, this::onDeadline));
        }
        if (settings.interceptors().length == 0) {
            start(request);
            return;
        }
        new ClientChain(
                        settings.interceptors(),
                        method.descriptor(),
                        controller,
                        method.responsePrototype(),
                        this::onPassedOn,
                        this::onChainDone)
                .proceed(request);
    }

    /** {@return how long the call may take: only if the caller says, or waits for others itself} */
    long limitNs() {
        int timeoutMs = controller.timeoutMs(-1);
        long ownNs = timeoutMs < 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        return Math.min(ownNs, CurrentCall.remainingNs());
    }

    /** The interceptors have passed the call on, maybe after its end. */
    private void onPassedOn(Message request, Consumer<Message> done) {
        if (told.compareAndSet(null, done)) {
            start(request);
        } else {
            CallNotifier.run(done, method.responsePrototype());
        }
    }

    private void start(Message request) {
        boolean isMany = method.descriptor().isClientStreaming();
        ClientStream started;
        try {
            started = starter.start(this, isMany ? Optional.empty() : Optional.of(request));
        } catch (Throwable e) {
            onOver(RpcError.EINTERNAL.code(), Faults.describe("the call cannot begin", e));
            return;
        }
        try {
            stream = Optional.of(started);
            catchUp(started);
        } catch (Throwable e) {
            onOver(RpcError.EINTERNAL.code(), Faults.describe("the call cannot go on", e));
        }
        onReadable();
        onWritable();
    }

    /** The stream learns what has happened before it was there. */
    private void catchUp(ClientStream started) {
        if (isHalfClosed) {
            started.requests().close();
        }
        if (isDropped) {
            started.responses().close();
        }
        if (isEnding()) {
            started.cancel(RpcError.ECANCELED.code());
        }
    }

    /** The interceptors are done: they have heard of the end, or have not passed the call on. */
    private void onChainDone(Message result) {
        if (told.get() == null) {
            instead = controller.failed() ? null : result;
            onOver(controller.errorCode(), controller.errorText());
        }
    }

    private void onDeadline() {
        long ms = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
        cancel(RpcError.ERPCTIMEDOUT, "reached timeout=" + ms + "ms");
    }

    private void cancelByCaller() {
        cancel(RpcError.ECANCELED, "canceled by the caller");
    }

    private void cancel(RpcError error, String text) {
        cancel(error.code(), "[E" + error.code() + "]" + text);
    }

    /** Cancels the call, unless it is over, and drops what nobody will read in either case. */
    void close() {
        cancelByCaller();
        responses.dropUnread();
    }

    @Override
    void ended(Outcome how) {
        Optional<ClientStream> started = stream;
        if (started.isPresent()) {
            take(started.get());
            cancel(started.get(), how.code());
        }
        controller.outcome(how.code(), how.text());
        controller.latencyNs(System.nanoTime() - startNs);
        letGo();
        Consumer<Message> interceptors = told.getAndSet(OVER);
        if (interceptors != null) {
            CallNotifier.run(interceptors, method.responsePrototype());
        }
    }

    /** Never throws: whatever the protocol does, caller and interceptors hear of the end. */
    private void take(ClientStream from) {
        try {
            from.responseUserFields().forEach(controller.responseUserFields()::put);
            from.connection().ifPresent(controller::connection);
        } catch (Throwable e) {
            Faults.warn(ClientExchange.class, "what came with a response is lost", this, e);
        }
    }

    /** Never throws, as above. */
    private void cancel(ClientStream ended, int code) {
        try {
            ended.cancel(code);
        } catch (Throwable e) {
            Faults.warn(ClientExchange.class, "canceling it failed", this, e);
        }
    }

    /** Never throws, as above. */
    private void letGo() {
        try {
            deadline.ifPresent(timer -> timer.cancel(false));
            if (isControllerOwn) {
                controller.close();
            }
        } catch (Throwable e) {
            Faults.warn(ClientExchange.class, "its memory cannot be released", this, e);
        }
    }

    @Override
    Optional<Connection> polled() {
        return stream.flatMap(ClientStream::connection);
    }

    @Override
    boolean isCallbackInline() {
        return settings.options().isCallbackInline();
    }

    @Override
    void readerClosed() {
        close();
    }

    @Override
    public String toString() {
        return method.toString();
    }

    private static final class Over implements Consumer<Message> {
        @Override
        public void accept(Message response) {}
    }

    /** What arrives, once there is a stream. */
    private final class Arriving implements MessageSource {
        @Override
        @SuppressWarnings("unchecked") // an interceptor answers with the method's response class
        public <M extends Message> M poll(M prototype) {
            Message answered = instead;
            if (answered != null) {
                instead = null;
                return (M) answered;
            }
            Optional<ClientStream> started = stream;
            return started.isPresent() ? started.get().responses().poll(prototype) : null;
        }

        /** {@return false: the outcome of the call follows the last response} */
        @Override
        public boolean isEnded() {
            return false;
        }

        @Override
        public void close() {
            isDropped = true;
            stream.ifPresent(started -> started.responses().close());
        }
    }

    /** What leaves, once there is a stream. */
    private final class Leaving implements MessageSink {
        @Override
        public boolean tryWrite(Message message) {
            Optional<ClientStream> started = stream;
            return started.isPresent() && started.get().requests().tryWrite(message);
        }

        @Override
        public void close() {
            isHalfClosed = true;
            stream.ifPresent(started -> started.requests().close());
        }
    }
}
