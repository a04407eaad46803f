// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * What calls are made on: a {@link Channel}, or several of them combined ({@link ParallelChannel},
 * {@link SelectiveChannel}, {@link PartitionChannel}). Generated clients take one. Any thread may
 * call any method.
 */
public interface Caller {
    /** {@return settings for a call, all as the channel has them} */
    ClientCall newCall();

    /**
     * {@return the response} Waits for it. An interrupt cancels the call.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @throws RpcException if the call failed
     */
    <Q extends Message, R extends Message> R call(RpcMethod<Q, R> method, Q request);

    /**
     * {@return the response} Waits for it. An interrupt cancels the call.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call
     * @throws RpcException if the call failed
     */
    <Q extends Message, R extends Message> R call(
            RpcMethod<Q, R> method, Q request, ClientCall call);

    /**
     * {@return the future response; fails with an {@link RpcException}}
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     */
    <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request);

    /**
     * {@return the future response; fails with an {@link RpcException}}
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call; belongs to it until it is over
     */
    <Q extends Message, R extends Message> CompletableFuture<R> callAsync(
            RpcMethod<Q, R> method, Q request, ClientCall call);

    /**
     * Starts a call and returns.
     *
     * @param <Q> the request's class
     * @param <R> the response's class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call; belongs to it until it is over, and then says how it
     *     went
     * @param done called once, with an empty response if the call failed
     */
    <Q extends Message, R extends Message> void start(
            RpcMethod<Q, R> method, Q request, ClientCall call, Consumer<? super R> done);

    /**
     * {@return the responses of a method with one request and many responses}
     *
     * @param <Q> the request's class
     * @param <R> the responses' class
     * @param method the method to call
     * @param request what to send
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> StreamReader<R> serverStream(
            RpcMethod<Q, R> method, Q request) {
        throw noStreams(method);
    }

    /**
     * {@return the responses of a method with one request and many responses}
     *
     * @param <Q> the request's class
     * @param <R> the responses' class
     * @param method the method to call
     * @param request what to send
     * @param call the settings of the call
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> StreamReader<R> serverStream(
            RpcMethod<Q, R> method, Q request, ClientCall call) {
        throw noStreams(method);
    }

    /**
     * {@return a call of a method with many requests and one response}
     *
     * @param <Q> the requests' class
     * @param <R> the response's class
     * @param method the method to call
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> ClientStreamCall<Q, R> clientStream(
            RpcMethod<Q, R> method) {
        throw noStreams(method);
    }

    /**
     * {@return a call of a method with many requests and one response}
     *
     * @param <Q> the requests' class
     * @param <R> the response's class
     * @param method the method to call
     * @param call the settings of the call
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> ClientStreamCall<Q, R> clientStream(
            RpcMethod<Q, R> method, ClientCall call) {
        throw noStreams(method);
    }

    /**
     * {@return a call of a method with many requests and many responses}
     *
     * @param <Q> the requests' class
     * @param <R> the responses' class
     * @param method the method to call
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> BidirectionalCall<Q, R> bidirectional(
            RpcMethod<Q, R> method) {
        throw noStreams(method);
    }

    /**
     * {@return a call of a method with many requests and many responses}
     *
     * @param <Q> the requests' class
     * @param <R> the responses' class
     * @param method the method to call
     * @param call the settings of the call
     * @throws UnsupportedOperationException if several channels are combined
     */
    default <Q extends Message, R extends Message> BidirectionalCall<Q, R> bidirectional(
            RpcMethod<Q, R> method, ClientCall call) {
        throw noStreams(method);
    }

    private static UnsupportedOperationException noStreams(RpcMethod<?, ?> method) {
        return new UnsupportedOperationException(
                method + ": streams over combined channels (expected: one Channel)");
    }
}
