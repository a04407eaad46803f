// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * Runs a method that has one request and one response.
 *
 * @param <Q> the request's class
 * @param <R> the response's class
 */
@FunctionalInterface
public interface UnaryHandler<Q extends Message, R extends Message> {
    /**
     * {@return the response; null is answered with EINTERNAL}
     *
     * @param call everything about the call except its messages
     * @param request the request
     * @throws RpcException if the client is to get this code and text
     * @throws Exception anything else is answered with EINTERNAL
     */
    R handle(Call call, Q request) throws Exception;
}
