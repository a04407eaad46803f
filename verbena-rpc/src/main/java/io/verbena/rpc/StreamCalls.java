// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The calls with streams of one channel. Any thread. */
final class StreamCalls {
    private final CallSettings settings;
    private final StreamTimer timer;
    private final ClientExchange.Starter starter;

    StreamCalls(CallSettings settings, StreamTimer timer, ClientExchange.Starter starter) {
        this.settings = settings;
        this.timer = timer;
        this.starter = starter;
    }

    <Q extends Message, R extends Message> StreamReader<R> serverStream(
            RpcMethod<Q, R> method, Q request, ClientController call, boolean isCallOwn) {
        Objects.requireNonNull(request, "request");
        return begin(method, RpcMethod.Form.SERVER_STREAM, request, call, isCallOwn).responses();
    }

    <Q extends Message, R extends Message> ClientStreamCall<Q, R> clientStream(
            RpcMethod<Q, R> method, ClientController call, boolean isCallOwn) {
        return new Collected<>(
                begin(
                        method,
                        RpcMethod.Form.CLIENT_STREAM,
                        method.requestPrototype(),
                        call,
                        isCallOwn));
    }

    <Q extends Message, R extends Message> BidirectionalCall<Q, R> bidirectional(
            RpcMethod<Q, R> method, ClientController call, boolean isCallOwn) {
        return new Both<>(
                begin(
                        method,
                        RpcMethod.Form.BIDIRECTIONAL,
                        method.requestPrototype(),
                        call,
                        isCallOwn));
    }

    private <Q extends Message, R extends Message> ClientExchange<Q, R> begin(
            RpcMethod<Q, R> method,
            RpcMethod.Form form,
            Q request,
            ClientController call,
            boolean isCallOwn) {
        if (method.form() != form) {
            throw new IllegalArgumentException(
                    "method: " + method + ", " + method.form() + " (expected: " + form + ")");
        }
        ClientExchange<Q, R> exchange =
                new ClientExchange<>(method, call, isCallOwn, settings, starter);
        exchange.begin(request, timer);
        return exchange;
    }

    /** A call with many requests and many responses. */
    private record Both<Q extends Message, R extends Message>(ClientExchange<Q, R> exchange)
            implements BidirectionalCall<Q, R> {
        @Override
        public StreamWriter<Q> requests() {
            return exchange.requests();
        }

        @Override
        public StreamReader<R> responses() {
            return exchange.responses();
        }

        @Override
        public void close() {
            exchange.close();
        }
    }

    /** A call with many requests and one response. */
    private static final class Collected<Q extends Message, R extends Message>
            implements ClientStreamCall<Q, R> {
        private final ClientExchange<Q, R> exchange;

        /** Null until somebody asks for the future. */
        private CompletableFuture<R> future;

        Collected(ClientExchange<Q, R> exchange) {
            this.exchange = exchange;
        }

        @Override
        public StreamWriter<Q> requests() {
            return exchange.requests();
        }

        @Override
        public synchronized CompletableFuture<R> response() {
            if (future == null) {
                future = new CompletableFuture<>();
                exchange.responses().listen(new Single<>(future));
            }
            return future;
        }

        private synchronized CompletableFuture<R> asked() {
            return future;
        }

        @Override
        public R finish() {
            exchange.requests().close();
            CompletableFuture<R> pending = asked();
            return pending == null ? read() : join(pending);
        }

        private R read() {
            StreamReader<R> responses = exchange.responses();
            if (!responses.hasNext()) {
                throw noResponse();
            }
            R response = responses.next();
            if (responses.hasNext()) {
                exchange.close();
                throw new RpcException(RpcError.ERESPONSE, "more than one response");
            }
            return response;
        }

        private static <R> R join(CompletableFuture<R> pending) {
            try {
                return pending.join();
            } catch (CompletionException e) {
                throw e.getCause() instanceof RpcException cause ? cause : e;
            }
        }

        @Override
        public void close() {
            exchange.close();
        }
    }

    private static RpcException noResponse() {
        return new RpcException(RpcError.ERESPONSE, "the call succeeded without a response");
    }

    /** Completes a future with the only message of a stream. */
    private static final class Single<R> implements StreamListener<R> {
        private final CompletableFuture<R> future;
        private R response;

        Single(CompletableFuture<R> future) {
            this.future = future;
        }

        @Override
        public void onMessage(R message) {
            if (response != null) {
                throw new RpcException(RpcError.ERESPONSE, "more than one response");
            }
            response = message;
        }

        @Override
        public void onEnd() {
            if (response == null) {
                future.completeExceptionally(noResponse());
            } else {
                future.complete(response);
            }
        }

        @Override
        public void onFailure(RpcException failure) {
            future.completeExceptionally(failure);
        }
    }
}
