// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The active side of a connection, as blocking calls meant for virtual threads.
 *
 * {@snippet :
 * try (Connector connector = Connector.resolve(context, address, Duration.ofSeconds(2))) {
 *     QueuePair pair = connector.createQueuePair(domain, options);
 *     pair.postReceive(receive);
 *     ConnectionParameters answer = connector.connect(ConnectionParameters.DEFAULT);
 * }
 * }
 *
 * <p>Closing it closes the queue pair. Used by one thread at a time.
 */
public final class Connector implements AutoCloseable {
    private final EventChannel channel;
    private final ConnectionIdentifier identifier;
    private final Duration timeout;

    private Connector(EventChannel channel, Duration timeout) {
        this.channel = channel;
        this.identifier = channel.createIdentifier();
        this.timeout = timeout;
    }

    /**
     * {@return a connector with the address and the route resolved}
     *
     * @param context the device to use
     * @param destination the peer
     * @param timeout how long each step may take
     * @throws ConnectionException if the address or the route cannot be resolved
     * @throws InterruptedException if the thread was interrupted
     */
    public static Connector resolve(
            DeviceContext context, InetSocketAddress destination, Duration timeout)
            throws InterruptedException {
        Connector connector = new Connector(context.createEventChannel(), timeout);
        try {
            connector.identifier.resolveAddress(destination, timeout);
            connector.await("rdma_resolve_addr", ConnectionEventType.ADDRESS_RESOLVED);
            connector.identifier.resolveRoute(timeout);
            connector.await("rdma_resolve_route", ConnectionEventType.ROUTE_RESOLVED);
            return connector;
        } catch (RuntimeException | InterruptedException e) {
            connector.close();
            throw e;
        }
    }

    /**
     * {@return the queue pair of the future connection; post receives on it before connecting}
     *
     * @param domain a protection domain of the same context
     * @param options its queues
     */
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return identifier.createQueuePair(domain, options);
    }

    /**
     * Connects and waits until the connection is established.
     *
     * @param parameters what to offer
     * @return what the peer answered, private data included
     * @throws ConnectionException if the peer refused or did not answer
     * @throws InterruptedException if the thread was interrupted
     */
    public ConnectionParameters connect(ConnectionParameters parameters)
            throws InterruptedException {
        identifier.connect(parameters);
        return await("rdma_connect", ConnectionEventType.ESTABLISHED).parameters();
    }

    /** {@return the underlying identifier, for addresses and {@code disconnect}} */
    public ConnectionIdentifier identifier() {
        return identifier;
    }

    /**
     * {@return the next event of the established connection, or empty if none came in time}
     *
     * @param wait how long to wait
     * @throws InterruptedException if the thread was interrupted
     */
    public Optional<ConnectionEvent> awaitEvent(Duration wait) throws InterruptedException {
        return channel.awaitEvent(wait);
    }

    @Override
    public void close() {
        channel.close();
    }

    private ConnectionEvent await(String verb, ConnectionEventType expected)
            throws InterruptedException {
        return ConnectionWait.await(channel, verb, expected, timeout);
    }
}
