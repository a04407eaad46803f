// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletionStage;

/**
 * Runs a method that has many requests and many responses, and does not wait for them.
 *
 * @param <Q> the requests' class
 * @param <R> the responses' class
 */
@FunctionalInterface
public interface AsyncBidirectionalHandler<Q extends Message, R extends Message> {
    /**
     * {@return the end of the call} A stage that fails with an {@link RpcException} ends it with
     * its code and text, other failures with EINTERNAL.
     *
     * @param call everything about the call except its messages; usable until the stage is complete
     * @param requests the requests; a method that must not block {@link StreamReader#listen
     *     listens} to them
     * @param responses sends the responses
     * @throws Exception has the same effect as a stage that fails with it
     */
    CompletionStage<Void> handle(Call call, StreamReader<Q> requests, StreamWriter<R> responses)
            throws Exception;
}
