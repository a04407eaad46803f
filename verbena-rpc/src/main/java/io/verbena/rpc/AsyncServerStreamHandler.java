// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletionStage;

/**
 * Runs a method that has one request and many responses, which may come later.
 *
 * @param <Q> the request's class
 * @param <R> the responses' class
 */
@FunctionalInterface
public interface AsyncServerStreamHandler<Q extends Message, R extends Message> {
    /**
     * {@return the end of the call} A stage that fails with an {@link RpcException} ends it with
     * its code and text, other failures with EINTERNAL.
     *
     * @param call everything about the call except its messages; usable until the stage is complete
     * @param request the request
     * @param responses sends the responses
     * @throws Exception has the same effect as a stage that fails with it
     */
    CompletionStage<Void> handle(Call call, Q request, StreamWriter<R> responses) throws Exception;
}
