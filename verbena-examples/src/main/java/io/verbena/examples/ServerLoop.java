// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The main loop of a server: takes connection events and passes each to its connection. A
 * connection that fails ends alone; the others go on.
 */
final class ServerLoop {
    private static final int BACKLOG = 10;

    private final PrintStream out;
    private final Function<ConnectionIdentifier, ServedConnection> onConnectRequest;
    private final Map<ConnectionIdentifier, ServedConnection> open = new LinkedHashMap<>();
    private final long limit;
    private long accepted;
    private long failed;

    /**
     * Creates a loop that is not running yet.
     *
     * @param out where to print
     * @param limit how many connections to serve
     * @param onConnectRequest prepares and accepts a connection
     */
    ServerLoop(
            PrintStream out,
            long limit,
            Function<ConnectionIdentifier, ServedConnection> onConnectRequest) {
        this.out = out;
        this.limit = limit;
        this.onConnectRequest = onConnectRequest;
    }

    /**
     * Listens and serves.
     *
     * @param device where to listen
     * @param port the port, or 0 for any free one
     * @throws ExampleException if a connection did not end normally
     * @throws InterruptedException if the thread was interrupted: the way to end a server
     */
    void run(DeviceContext device, int port) throws InterruptedException {
        try (EventChannel channel = device.createEventChannel()) {
            try (ConnectionIdentifier listener = channel.createIdentifier()) {
                listener.bind(new InetSocketAddress(port));
                listener.listen(BACKLOG);
                int bound = listener.localAddress().orElseThrow().getPort();
                out.println("listening on port " + bound + ".");
                while (accepted < limit) {
                    step(channel);
                }
            }
            while (!open.isEmpty()) {
                step(channel);
            }
        } finally {
            open.values().forEach(ServedConnection::close);
        }
        if (failed > 0) {
            throw new ExampleException(failed + " of " + accepted + " connections failed");
        }
    }

    private void step(EventChannel channel) throws InterruptedException {
        Optional<ConnectionEvent> event =
                open.isEmpty()
                        ? Optional.of(channel.awaitEvent())
                        : channel.awaitEvent(Progress.TICK);
        if (event.isPresent()) {
            onEvent(event.get());
        }
        for (ConnectionIdentifier identifier : List.copyOf(open.keySet())) {
            open.get(identifier)
                    .progress()
                    .overdue()
                    .ifPresent(reason -> onFailure(identifier, reason));
        }
    }

    private void onEvent(ConnectionEvent event) throws InterruptedException {
        ConnectionIdentifier identifier = event.identifier();
        try {
            switch (event.type()) {
                case CONNECT_REQUEST -> onConnectRequest(identifier);
                case ESTABLISHED -> connection(identifier).onEstablished();
                case DISCONNECTED -> onDisconnected(identifier);
                case TIMEWAIT_EXIT -> {}
                default -> onFailure(identifier, EventFailure.of(event));
            }
        } catch (RuntimeException e) {
            onFailure(identifier, e);
        }
    }

    private void onConnectRequest(ConnectionIdentifier identifier) {
        out.println("received connection request.");
        accepted++;
        open.put(identifier, onConnectRequest.apply(identifier));
    }

    private void onDisconnected(ConnectionIdentifier identifier) throws InterruptedException {
        ServedConnection connection = connection(identifier);
        connection.progress().awaitIdle();
        connection.onDisconnected();
        open.remove(identifier);
        connection.close();
    }

    private ServedConnection connection(ConnectionIdentifier identifier) {
        ServedConnection connection = open.get(identifier);
        if (connection == null) {
            throw new ExampleException("event for a connection that is not open");
        }
        return connection;
    }

    /**
     * If there is a single connection to serve, its failure is the server's; otherwise it is only
     * reported.
     */
    private void onFailure(ConnectionIdentifier identifier, RuntimeException reason) {
        ServedConnection connection = open.remove(identifier);
        if (connection == null) {
            identifier.close();
        } else {
            connection.close();
        }
        if (limit == 1) {
            throw reason;
        }
        failed++;
        out.println("error: " + reason.getMessage());
    }
}
