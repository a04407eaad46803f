// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;
import java.util.concurrent.CompletionStage;

/**
 * Runs a method that has many requests and one response, which may come later.
 *
 * @param <Q> the requests' class
 * @param <R> the response's class
 */
@FunctionalInterface
public interface AsyncClientStreamHandler<Q extends Message, R extends Message> {
    /**
     * {@return the future response} A stage that fails with an {@link RpcException} ends the call
     * with its code and text, other failures with EINTERNAL.
     *
     * @param call everything about the call except its messages; usable until the stage is complete
     * @param requests the requests; a method that must not block {@link StreamReader#listen
     *     listens} to them
     * @throws Exception has the same effect as a stage that fails with it
     */
    CompletionStage<? extends R> handle(Call call, StreamReader<Q> requests) throws Exception;
}
