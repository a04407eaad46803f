// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Message;
import java.io.IOException;

/** A call that arrived by some protocol: what the protocol implements, and the server asks. */
public interface ServerRequest {
    /** {@return the full name of the service, or its name without the package} */
    String serviceName();

    /** {@return the name of the method} */
    String methodName();

    /**
     * Sets what the service shall find beside its request. Before any check.
     *
     * @param call of this request; the same until its answer
     */
    void prepare(ServerCall call);

    /**
     * {@return the request} After all checks; where the service runs.
     *
     * @param prototype of the request's class
     * @throws IOException if it is none: the call fails with EREQUEST
     */
    Message decode(Message prototype) throws IOException;

    /**
     * Sends the answer. Called once, by any thread.
     *
     * @param call says whether it failed, and has the response attachment
     * @param response the answer; means nothing, and may be null, if the call failed
     */
    void answer(ServerCall call, Message response);
}
