// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.server;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.ServerOptions;
import io.verbena.transport.Connection;
import java.net.InetSocketAddress;
import java.time.Instant;
import java.util.Collection;

/** A server, as protocols and pages see it. Any thread may call any method. */
public interface ServerView {
    /** {@return its settings} */
    ServerOptions options();

    /** {@return transport, memory and flags} */
    RpcNode node();

    /** {@return its methods} */
    MethodRegistry methods();

    /** {@return all flags of the process} */
    FlagRegistry flags();

    /** {@return the connections of its clients now} */
    Collection<Connection> connections();

    /** {@return where it listens} */
    InetSocketAddress address();

    /** {@return when it was started} */
    Instant startedAt();

    /** {@return whether it takes no more calls} */
    boolean isStopping();

    /** {@return how many calls it is working on} */
    int concurrency();

    /**
     * {@return whether a server that stops waits for an answer that is not made yet, until {@link
     * #release}; false if it stops already}
     */
    boolean tryHold();

    /** An answer for which {@link #tryHold} was true was written, or never will be. */
    void release();

    /**
     * Takes a call: makes all checks in brpc's order, decodes the request, runs the service, on a
     * virtual thread unless the method is {@link io.verbena.rpc.NonBlocking}, and answers once.
     *
     * @param connection where it came from
     * @param request the call
     */
    void accept(ServerConnection connection, ServerRequest request);
}
