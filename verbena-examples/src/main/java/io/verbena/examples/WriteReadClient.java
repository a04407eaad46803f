// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import java.io.PrintStream;
import java.time.Duration;

/**
 * The active side of the tutorial's {@code rdma_write_read}: connects, tells the server where its
 * memory is, and moves a text one-sidedly, while the server does the same.
 */
public final class WriteReadClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final PrintStream out;
    private final WriteReadMode mode;
    private Progress progress = new Progress();

    /**
     * Creates a client that is not connected yet. It can be run once.
     *
     * @param out where to print
     * @param mode which way to move data, the same as the server's
     */
    public WriteReadClient(PrintStream out, WriteReadMode mode) {
        this.out = out;
        this.mode = mode;
    }

    /**
     * Connects, exchanges data, disconnects.
     *
     * @param device what to connect from
     * @param host the server's name or address
     * @param port its port
     * @throws ExampleException if the run did not end normally
     * @throws InterruptedException if the thread was interrupted
     */
    public void run(DeviceContext device, String host, int port) throws InterruptedException {
        try (SharedContext context = SharedContext.build(device);
                EventChannel channel = device.createEventChannel()) {
            progress.begin();
            channel.createIdentifier().resolveAddress(PeerAddress.resolve(host, port), TIMEOUT);
            boolean connected = true;
            while (connected) {
                connected = onEvent(context, progress.awaitEvent(channel));
            }
        }
    }

    /** {@return whether there is more to come} */
    private boolean onEvent(SharedContext context, ConnectionEvent event)
            throws InterruptedException {
        ConnectionIdentifier identifier = event.identifier();
        switch (event.type()) {
            case ADDRESS_RESOLVED -> onAddressResolved(context, identifier);
            case ROUTE_RESOLVED -> onRouteResolved(identifier);
            case ESTABLISHED -> connection(identifier).sendMemoryRegion();
            case DISCONNECTED -> onDisconnect(identifier);
            default -> throw EventFailure.of(event);
        }
        return event.type() != ConnectionEventType.DISCONNECTED;
    }

    private void onAddressResolved(SharedContext context, ConnectionIdentifier identifier) {
        out.println("address resolved.");
        String text = SendReceiveClient.defaultMessage();
        WriteReadConnection connection =
                new WriteReadConnection(context, identifier, mode, text, out);
        progress = connection.progress();
        identifier.attach(connection);
        identifier.resolveRoute(TIMEOUT);
    }

    private void onRouteResolved(ConnectionIdentifier identifier) {
        out.println("route resolved.");
        identifier.connect(WriteReadConnection.PARAMETERS);
    }

    private void onDisconnect(ConnectionIdentifier identifier) throws InterruptedException {
        progress.awaitIdle();
        out.println("disconnected.");
        WriteReadConnection connection = connection(identifier);
        try (connection) {
            connection.onDisconnected();
        }
    }

    private static WriteReadConnection connection(ConnectionIdentifier identifier) {
        return (WriteReadConnection) identifier.attachment();
    }
}
