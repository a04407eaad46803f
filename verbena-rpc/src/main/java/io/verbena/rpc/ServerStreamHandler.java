// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * Runs a method that has one request and many responses.
 *
 * @param <Q> the request's class
 * @param <R> the responses' class
 */
@FunctionalInterface
public interface ServerStreamHandler<Q extends Message, R extends Message> {
    /**
     * Sends the responses; may block. The call ends when this returns.
     *
     * @param call everything about the call except its messages
     * @param request the request
     * @param responses sends the responses
     * @throws RpcException ends the call with its code and text
     * @throws Exception anything else ends the call with EINTERNAL
     */
    void handle(Call call, Q request, StreamWriter<R> responses) throws Exception;
}
