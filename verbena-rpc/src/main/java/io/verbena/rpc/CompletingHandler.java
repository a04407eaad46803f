// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletableFuture;

/**
 * Runs a method that has one request and one response, which is sent at the moment it is complete:
 * the method may go on after that.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
@FunctionalInterface
public interface CompletingHandler<Q extends Message, R extends Message> {
    /**
     * Runs the method.
     *
     * @param call everything about the call except its messages; usable until the answer is
     *     complete
     * @param request the request
     * @param answer takes the response, now or later, on any thread. If it fails with an {@link
     *     RpcException}, the client gets that code and text, else EINTERNAL
     * @throws Exception has the same effect as an answer that fails with it, unless there is one
     */
    void handle(Call call, Q request, CompletableFuture<R> answer) throws Exception;
}
