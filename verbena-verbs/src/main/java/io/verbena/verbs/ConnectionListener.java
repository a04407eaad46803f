// SPDX-License-Identifier: Apache-2.0
package io.verbena.verbs;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;

/**
 * The passive side of connections, as blocking calls meant for virtual threads.
 *
 * {@snippet :
 * try (ConnectionListener listener = ConnectionListener.listen(context, address, 10)) {
 *     ConnectionRequest request = listener.awaitRequest();
 *     QueuePair pair = request.createQueuePair(domain, options);
 *     pair.postReceive(receive);
 *     request.accept(ConnectionParameters.DEFAULT, Duration.ofSeconds(2));
 * }
 * }
 *
 * <p>Closing the listener does not affect requests that were already taken. {@link #awaitRequest}
 * may be called from several threads.
 */
public final class ConnectionListener implements AutoCloseable {
    private final EventChannel channel;
    private final ConnectionIdentifier identifier;

    private ConnectionListener(EventChannel channel) {
        this.channel = channel;
        this.identifier = channel.createIdentifier();
    }

    /**
     * {@return a listener}
     *
     * @param context the device to use
     * @param local an address of this host, or the wildcard; port 0 takes any free one
     * @param backlog how many requests may wait to be taken
     */
    public static ConnectionListener listen(
            DeviceContext context, InetSocketAddress local, int backlog) {
        ConnectionListener listener = new ConnectionListener(context.createEventChannel());
        try {
            listener.identifier.bind(local);
            listener.identifier.listen(backlog);
            return listener;
        } catch (RuntimeException e) {
            listener.close();
            throw e;
        }
    }

    /** {@return the address it listens on, with the port it got} */
    public InetSocketAddress localAddress() {
        return identifier.localAddress().orElseThrow();
    }

    /**
     * {@return the next connection request}
     *
     * @throws InterruptedException if the thread was interrupted
     */
    public ConnectionRequest awaitRequest() throws InterruptedException {
        while (true) {
            ConnectionEvent event = channel.awaitEvent();
            if (event.type() == ConnectionEventType.CONNECT_REQUEST) {
                return new ConnectionRequest(event);
            }
        }
    }

    /**
     * {@return the next connection request, or empty if none came in time}
     *
     * @param timeout how long to wait
     * @throws InterruptedException if the thread was interrupted
     */
    public Optional<ConnectionRequest> awaitRequest(Duration timeout) throws InterruptedException {
        Optional<ConnectionEvent> event = channel.awaitEvent(timeout);
        return event.filter(e -> e.type() == ConnectionEventType.CONNECT_REQUEST)
                .map(ConnectionRequest::new);
    }

    @Override
    public void close() {
        channel.close();
    }
}
