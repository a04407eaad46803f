// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * Runs a method that has many requests and one response.
 *
 * @param <Q> the requests' class
 * @param <R> the response's class
 */
@FunctionalInterface
public interface ClientStreamHandler<Q extends Message, R extends Message> {
    /**
     * {@return the response} May block. The call ends when this returns, read or not.
     *
     * @param call everything about the call except its messages
     * @param requests the requests as they arrive
     * @throws RpcException ends the call with its code and text
     * @throws Exception anything else ends the call with EINTERNAL
     */
    R handle(Call call, StreamReader<Q> requests) throws Exception;
}
