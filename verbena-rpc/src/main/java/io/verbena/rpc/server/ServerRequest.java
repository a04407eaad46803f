// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import com.google.protobuf.Message;
import io.verbena.rpc.Controller;
import java.io.IOException;

/** A call that arrived by some protocol. */
public interface ServerRequest {
    /** {@return the full name of the service, or its name without the package} */
    String serviceName();

    /** {@return the name of the method} */
    String methodName();

    /**
     * Sets what the service shall find in its controller. Before any check.
     *
     * @param controller of the call
     */
    void prepare(Controller controller);

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
     * @param controller says whether the call failed, and has the response attachment
     * @param response the answer; means nothing if the call failed
     */
    void answer(Controller controller, Message response);
}
