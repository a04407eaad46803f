// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import com.google.protobuf.Message;
import java.io.IOException;

/**
 * A call that arrived over some protocol. The protocol implements this, and the server calls it.
 */
public interface ServerRequest {
    /** {@return the full name of the service, or its name without the package} */
    String serviceName();

    /** {@return the name of the method} */
    String methodName();

    /** {@return how the request is encoded: brpc's number of its content type} */
    default int contentType() {
        return 0;
    }

    /** {@return how the request is compressed: brpc's number} */
    default int compressType() {
        return 0;
    }

    /**
     * Sets what the service gets in addition to its request. Called before any check.
     *
     * @param call the call of this request; the same object until its answer
     */
    void prepare(ServerCall call);

    /**
     * {@return bytes of answers that its connection has not been given yet: the protocol keeps them
     * until the client lets it send them} If there are too many, the call is refused, as it is when
     * too much waits in the connection.
     */
    default long waitingBytes() {
        return 0;
    }

    /**
     * {@return the request} Called after all checks, on the service's thread.
     *
     * @param prototype an instance of the request's class
     * @throws IOException if it cannot be decoded: the call fails with EREQUEST
     */
    Message decode(Message prototype) throws IOException;

    /**
     * Sends the answer. Called once, by any thread.
     *
     * @param call says whether the call failed, and holds the response attachment
     * @param response the answer; meaningless, and may be null, if the call failed
     */
    void answer(ServerCall call, Message response);
}
