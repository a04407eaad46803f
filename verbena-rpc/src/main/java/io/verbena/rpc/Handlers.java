// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import io.verbena.rpc.server.MethodHandler;
import io.verbena.rpc.spi.ServerCall;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The ways to run a method, brought to one form. */
final class Handlers {
    private Handlers() {}

    @SuppressWarnings("unchecked") // the request was decoded with the method's own prototype
    static <Q extends Message, R extends Message> MethodHandler unary(UnaryHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = own(call);
            incoming.run(handler.handle(incoming, (Q) request));
        };
    }

    @SuppressWarnings("unchecked") // the request was decoded with the method's own prototype
    static <Q extends Message, R extends Message> MethodHandler async(AsyncHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = own(call);
            answerLater(incoming, handler.handle(incoming, (Q) request));
        };
    }

    @SuppressWarnings("unchecked") // the request was decoded with the method's own prototype
    static <Q extends Message, R extends Message> MethodHandler completing(
            CompletingHandler<Q, R> handler) {
        return (call, request) -> {
            IncomingCall incoming = own(call);
            CompletableFuture<R> answer = new CompletableFuture<>();
            // before it runs: it may go on after its answer
            answerLater(incoming, answer);
            handler.handle(incoming, (Q) request, answer);
        };
    }

    /** Answers a call when a stage is complete. */
    static void answerLater(IncomingCall call, CompletionStage<? extends Message> stage) {
        if (stage == null) {
            call.run(null);
        } else {
            var _ = stage.whenComplete((answer, failure) -> end(call, answer, failure));
        }
    }

    private static void end(IncomingCall call, Message answer, Throwable failure) {
        if (failure == null) {
            call.run(answer);
        } else {
            ServiceFaults.answer(call, failure);
        }
    }

    static IncomingCall own(ServerCall call) {
        return (IncomingCall) call;
    }
}
