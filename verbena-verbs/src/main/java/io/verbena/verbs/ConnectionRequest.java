// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.time.Duration;
import java.util.Optional;

/**
 * A connection request that was taken from a {@link ConnectionListener} and waits for an answer.
 * Once accepted, it represents the connection; closing it closes the queue pair. Used by one thread
 * at a time.
 */
public final class ConnectionRequest implements AutoCloseable {
    private final EventChannel channel;
    private final ConnectionIdentifier identifier;
    private final ConnectionParameters offered;

    ConnectionRequest(ConnectionEvent event) {
        this.identifier = event.identifier();
        this.offered = event.parameters();
        this.channel = identifier.context().createEventChannel();
        identifier.migrate(channel);
    }

    /** {@return what the peer offered, private data included} */
    public ConnectionParameters offered() {
        return offered;
    }

    /** {@return the underlying identifier, for addresses and {@code disconnect}} */
    public ConnectionIdentifier identifier() {
        return identifier;
    }

    /**
     * {@return the queue pair of the future connection; post receives on it before accepting}
     *
     * @param domain a protection domain of the same context
     * @param options its queues
     */
    public QueuePair createQueuePair(ProtectionDomain domain, QueuePairOptions options) {
        return identifier.createQueuePair(domain, options);
    }

    /**
     * Accepts and waits until the connection is established.
     *
     * @param parameters what to answer
     * @param timeout how long it may take
     * @throws ConnectionException if the peer went away
     * @throws InterruptedException if the thread was interrupted
     */
    public void accept(ConnectionParameters parameters, Duration timeout)
            throws InterruptedException {
        identifier.accept(parameters);
        ConnectionWait.await(channel, "rdma_accept", ConnectionEventType.ESTABLISHED, timeout);
    }

    /**
     * Refuses and closes.
     *
     * @param privateData bytes for the peer
     */
    public void reject(byte[] privateData) {
        identifier.reject(privateData);
        close();
    }

    /**
     * {@return the next event of the connection, or empty if none came in time}
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
}
