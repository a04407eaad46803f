// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Message;
import io.verbena.rpc.spi.ServerCall;

/** Runs one method of a service. */
@FunctionalInterface
public interface MethodHandler {
    /**
     * Runs the method, and answers the call now or later.
     *
     * @param call the call, which the package above created
     * @param request an instance of the method's request class
     * @throws Exception if the method failed; the caller answers
     */
    void handle(ServerCall call, Message request) throws Exception;
}
