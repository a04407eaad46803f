// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.server.MethodHandler;
import java.util.concurrent.CompletionStage;

/** The ways to run a method with streams, brought to the form of {@link Handlers}. */
@SuppressWarnings("unchecked") // requests are decoded with the method's own prototype
final class StreamHandlers {
    private StreamHandlers() {}

    static <Q extends Message, R extends Message> MethodHandler serverStream(
            RpcMethod<Q, R> method, ServerStreamHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            handler.handle(incoming, (Q) request, incoming.openStreams().responses());
            incoming.run(method.responsePrototype());
        };
    }

    static <Q extends Message, R extends Message> MethodHandler clientStream(
            RpcMethod<Q, R> method, ClientStreamHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            ServerExchange streams = incoming.openStreams();
            incoming.run(handler.handle(incoming, streams.requests(method.requestPrototype())));
        };
    }

    static <Q extends Message, R extends Message> MethodHandler bidirectional(
            RpcMethod<Q, R> method, BidirectionalHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            ServerExchange streams = incoming.openStreams();
            handler.handle(
                    incoming, streams.requests(method.requestPrototype()), streams.responses());
            incoming.run(method.responsePrototype());
        };
    }

    static <Q extends Message, R extends Message> MethodHandler asyncServerStream(
            RpcMethod<Q, R> method, AsyncServerStreamHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            endLater(
                    incoming,
                    handler.handle(incoming, (Q) request, incoming.openStreams().responses()),
                    method.responsePrototype());
        };
    }

    static <Q extends Message, R extends Message> MethodHandler asyncClientStream(
            RpcMethod<Q, R> method, AsyncClientStreamHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            ServerExchange streams = incoming.openStreams();
            Handlers.answerLater(
                    incoming,
                    handler.handle(incoming, streams.requests(method.requestPrototype())));
        };
    }

    static <Q extends Message, R extends Message> MethodHandler asyncBidirectional(
            RpcMethod<Q, R> method, AsyncBidirectionalHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = Handlers.own(call);
            ServerExchange streams = incoming.openStreams();
            endLater(
                    incoming,
                    handler.handle(
                            incoming,
                            streams.requests(method.requestPrototype()),
                            streams.responses()),
                    method.responsePrototype());
        };
    }

    private static void endLater(IncomingCall call, CompletionStage<Void> end, Message nothing) {
        Handlers.answerLater(call, end == null ? null : end.thenApply(ignored -> nothing));
    }
}
