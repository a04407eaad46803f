// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionEvent;
import io.verbena.verbs.ConnectionEventType;
import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.EventChannel;
import io.verbena.verbs.WorkCompletion;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The active side of the tutorial's {@code rdma_send_recv}: connects, sends one message, waits for
 * the server's greeting and disconnects.
 *
 * <p>Without the greeting it disconnects after its first completion, as the tutorial's first
 * version does; the receive it has posted then ends flushed.
 */
public final class SendReceiveClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final PrintStream out;
    private final String message;
    private final int expectedCompletions;
    private final Progress progress = new Progress();
    private final AtomicInteger completions = new AtomicInteger();

    /**
     * Creates a client that is not connected yet. It can be run once.
     *
     * @param out where to print
     * @param message what to send; at most 1023 bytes in UTF-8
     * @param greeting whether the server sends a message too
     */
    public SendReceiveClient(PrintStream out, String message, boolean greeting) {
        this.out = out;
        this.message = MessageText.check(message);
        this.expectedCompletions = greeting ? 2 : 1;
    }

    /** {@return the message a client sends by default} */
    public static String defaultMessage() {
        return "message from active/client side with pid " + ProcessHandle.current().pid();
    }

    /**
     * Connects, exchanges messages, disconnects.
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
                connected = onEvent(context, awaitEvent(channel));
            }
        }
    }

    private ConnectionEvent awaitEvent(EventChannel channel) throws InterruptedException {
        try {
            return progress.awaitEvent(channel);
        } catch (ExampleException e) {
            throw completions.get() == expectedCompletions - 1
                    ? new ExampleException(
                            "the server has the message and sends no greeting, as the tutorial's"
                                    + " does; use --no-greeting with it ("
                                    + e.getMessage()
                                    + ")")
                    : e;
        }
    }

    /** {@return whether there is more to come} */
    private boolean onEvent(SharedContext context, ConnectionEvent event)
            throws InterruptedException {
        ConnectionIdentifier identifier = event.identifier();
        switch (event.type()) {
            case ADDRESS_RESOLVED -> onAddressResolved(context, identifier);
            case ROUTE_RESOLVED -> onRouteResolved(identifier);
            case ESTABLISHED -> onConnection(identifier);
            case DISCONNECTED -> onDisconnect(identifier);
            default -> throw EventFailure.of(event);
        }
        return event.type() != ConnectionEventType.DISCONNECTED;
    }

    private void onAddressResolved(SharedContext context, ConnectionIdentifier identifier) {
        out.println("address resolved.");
        SendReceiveConnection connection =
                new SendReceiveConnection(context, identifier, progress, this::onCompletion);
        identifier.attach(connection);
        connection.postReceive();
        identifier.resolveRoute(TIMEOUT);
    }

    private void onRouteResolved(ConnectionIdentifier identifier) {
        out.println("route resolved.");
        identifier.connect(ConnectionParameters.ZERO);
    }

    private void onConnection(ConnectionIdentifier identifier) {
        out.println("connected. posting send...");
        connection(identifier).postSend(message);
    }

    private void onCompletion(SendReceiveConnection connection, WorkCompletion completion) {
        out.println("wc->status = " + StatusText.of(completion));
        if (!SendReceiveConnection.isSuccess(completion)) {
            return;
        }
        if (completion.opcode().isReceive()) {
            out.println("received message: " + connection.received());
        } else {
            out.println("send completed successfully.");
        }
        if (completions.incrementAndGet() == expectedCompletions) {
            connection.disconnect();
        }
    }

    private void onDisconnect(ConnectionIdentifier identifier) throws InterruptedException {
        progress.awaitIdle();
        out.println("disconnected.");
        connection(identifier).close();
        progress.throwIfFailed();
        if (completions.get() < expectedCompletions) {
            throw new ExampleException(
                    "the server disconnected after "
                            + completions
                            + " of "
                            + expectedCompletions
                            + " completions");
        }
    }

    private static SendReceiveConnection connection(ConnectionIdentifier identifier) {
        return (SendReceiveConnection) identifier.attachment();
    }
}
