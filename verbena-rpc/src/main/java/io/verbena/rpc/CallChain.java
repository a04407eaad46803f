// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import com.google.protobuf.Message;

/**
 * What follows an interceptor, for one call: further interceptors, and at the end the service or,
 * on a client, the server.
 */
public interface CallChain {
    /**
     * Passes the call on, once. Does not throw: what fails further on has ended the call.
     *
     * @param request the request, or another of the same class
     */
    void proceed(Message request);

    /**
     * Ends the call with an answer; what follows does not see it.
     *
     * @param response an instance of the method's response class
     */
    void answer(Message response);
}
