// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.transport.Connection;
import java.util.Map;
import java.util.Optional;

/** A call on the client, of any form, as its protocol implements it. */
public interface ClientStream {
    /** {@return the requests, if the method has many} No room until the call is on its way. */
    MessageSink requests();

    /** {@return the responses; exactly one if the call succeeds and the method has one} */
    MessageSource responses();

    /** {@return names and values that came with the response; asked for when the call is over} */
    Map<String, String> responseUserFields();

    /** {@return the connection, once there is one: waiting threads poll it over RDMA} */
    Optional<Connection> connection();

    /**
     * Nobody waits for the call any more: tells the server, and releases what the call holds. Also
     * called after the outcome was reported. Idempotent. Any thread; never blocks.
     *
     * @param code why, one of brpc's error codes; 0 if the call is over
     */
    void cancel(int code);
}
