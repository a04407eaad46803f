// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * One end of a connection, or a listener; {@code rdma_cm_id}. Like a socket, but its progress is
 * reported on its {@link EventChannel}.
 *
 * <p>Active side: {@link #resolveAddress}, ADDRESS_RESOLVED, {@link #createQueuePair}, {@link
 * #resolveRoute}, ROUTE_RESOLVED, {@link #connect}, ESTABLISHED. Passive side: {@link #bind},
 * {@link #listen}, CONNECT_REQUEST with a new identifier, {@link #createQueuePair} on that, {@link
 * #accept}, ESTABLISHED. Post the first receives before {@code connect} or {@code accept}.
 */
public interface ConnectionIdentifier extends AutoCloseable {
    /** {@return the device it uses} */
    DeviceContext context();

    /**
     * Binds to a local address; {@code rdma_bind_addr}.
     *
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @throws VerbsException with EADDRINUSE or EADDRNOTAVAIL
     */
    void bind(InetSocketAddress local);

    /**
     * Starts taking connection requests; {@code rdma_listen}.
     *
     * @param backlog how many requests may wait to be taken, at least 1
     */
    void listen(int backlog);

    /**
     * Resolves an address; {@code rdma_resolve_addr}. Reports ADDRESS_RESOLVED or ADDRESS_ERROR.
     *
     * @param destination the peer
     * @param timeout how long it may take
     */
    void resolveAddress(InetSocketAddress destination, Duration timeout);

    /**
     * Finds the route to the resolved address; {@code rdma_resolve_route}. Reports ROUTE_RESOLVED
     * or ROUTE_ERROR.
     *
     * @param timeout how long it may take
     */
    void resolveRoute(Duration timeout);

    /**
     * {@return a queue pair that belongs to this identifier and follows its state; {@code
     * rdma_create_qp}} It is in state INIT.
     *
     * @param domain a protection domain of {@link #context()}
     * @param options its queues
     */
    QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options);

    /** {@return the queue pair made by {@link #createQueuePair}, if any} */
    Optional<QueuePair> queuePair();

    /**
     * Asks the peer to connect; {@code rdma_connect}. Reports ESTABLISHED, REJECTED, UNREACHABLE or
     * CONNECT_ERROR.
     *
     * @param parameters what to offer
     */
    void connect(ConnectionParameters parameters);

    /**
     * Accepts a connection request; {@code rdma_accept}. Reports ESTABLISHED.
     *
     * @param parameters what to answer
     */
    void accept(ConnectionParameters parameters);

    /**
     * Refuses a connection request; {@code rdma_reject}.
     *
     * @param privateData bytes for the peer, at most 148
     */
    void reject(byte[] privateData);

    /**
     * Ends the connection; {@code rdma_disconnect}. The queue pair goes to the error state, which
     * flushes what is posted; both sides report DISCONNECTED. A second call does nothing.
     */
    void disconnect();

    /** {@return the local address, once bound or resolved} */
    Optional<InetSocketAddress> localAddress();

    /** {@return the peer's address, once resolved or connected} */
    Optional<InetSocketAddress> remoteAddress();

    /** {@return the object given to {@link #attach}, or null} */
    Object attachment();

    /**
     * Attaches an object to the identifier; {@code rdma_cm_id.context}.
     *
     * @param object anything, or null
     */
    void attach(Object object);

    /**
     * Moves the identifier to another channel, together with its pending events; {@code
     * rdma_migrate_id}.
     *
     * @param channel where it reports from now on
     */
    void migrate(EventChannel channel);

    /** Disconnects if connected, closes the queue pair, then the identifier. */
    @Override
    void close();
}
