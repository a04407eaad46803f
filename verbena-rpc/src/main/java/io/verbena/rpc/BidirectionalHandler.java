// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * Runs a method that has many requests and many responses.
 *
 * @param <Q> the requests' class
 * @param <R> the responses' class
 */
@FunctionalInterface
public interface BidirectionalHandler<Q extends Message, R extends Message> {
    /**
     * Reads requests and sends responses, in any order; may block. The call ends when this returns.
     *
     * @param call everything about the call except its messages
     * @param requests the requests as they arrive
     * @param responses sends the responses
     * @throws RpcException ends the call with its code and text
     * @throws Exception anything else ends the call with EINTERNAL
     */
    void handle(Call call, StreamReader<Q> requests, StreamWriter<R> responses) throws Exception;
}
