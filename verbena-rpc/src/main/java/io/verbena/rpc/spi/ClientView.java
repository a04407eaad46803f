// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc.spi;

import io.verbena.transport.ClientTls;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportException;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A channel, as its protocol sees it. Any thread may call any method. */
public interface ClientView {
    /** {@return makes the connections, and has the pool that provides the memory of messages} */
    Transport transport();

    /** {@return what connections may use} */
    SocketMode socketMode();

    /** {@return what connections speak TLS with; empty means without TLS} */
    Optional<ClientTls> tls();

    /** {@return how long connecting may take} */
    int connectTimeoutMs();

    /** {@return the largest message that is accepted: the current value of max_body_size} */
    long maxBodyBytes();

    /** {@return what proves to servers who this client is; empty if nothing does} */
    byte[] credential();

    /**
     * {@return whether calls may go to a server now} The list changes before {@link
     * ClientProtocol#onUnlisted} is called: who asks after a connection can be found there misses
     * nothing.
     *
     * @param server its address
     */
    default boolean isListed(InetSocketAddress server) {
        return true;
    }

    /**
     * A connection has ended that was never open. If that is because the server cannot be reached,
     * it gets no calls until it can. Before the calls on the connection end: what is tried again
     * must not go there.
     *
     * @param server where it was to go
     * @param reason why it has ended
     */
    default void onUnreachable(InetSocketAddress server, TransportException reason) {}
}
