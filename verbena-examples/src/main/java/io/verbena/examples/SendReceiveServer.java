// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.ConnectionParameters;
import io.verbena.verbs.DeviceContext;
import io.verbena.verbs.WorkCompletion;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The passive side of the tutorial's {@code rdma_send_recv}: prints the message each client sends,
 * and greets it.
 *
 * <p>One receive is posted before a connection is accepted, because a client may send the moment it
 * is established. With the greeting, the server sends a message of its own once the connection is
 * established; without, it only listens, as the tutorial's first version does.
 */
public final class SendReceiveServer {
    /** The port the tutorial uses: {@value}. */
    public static final int DEFAULT_PORT = 22222;

    private final PrintStream out;
    private final boolean greeting;

    /**
     * Creates a server that does not listen yet.
     *
     * @param out where to print
     * @param greeting whether to send a message too
     */
    public SendReceiveServer(PrintStream out, boolean greeting) {
        this.out = out;
        this.greeting = greeting;
    }

    /**
     * Serves a number of connections.
     *
     * @param device where to listen
     * @param port the port, or 0 for any free one
     * @param connections how many; {@link Long#MAX_VALUE} means forever
     * @throws ExampleException if a connection did not end normally
     * @throws InterruptedException if the thread was interrupted: the way to end a server
     */
    public void serve(DeviceContext device, int port, long connections)
            throws InterruptedException {
        try (SharedContext context = SharedContext.build(device)) {
            new ServerLoop(out, connections, identifier -> new Served(context, identifier))
                    .run(device, port);
        }
    }

    /** What the server does on one connection. */
    private final class Served implements ServedConnection {
        private final SendReceiveConnection connection;
        private final AtomicBoolean received = new AtomicBoolean();

        Served(SharedContext context, ConnectionIdentifier identifier) {
            connection =
                    new SendReceiveConnection(
                            context, identifier, new Progress(), this::onCompletion);
            connection.postReceive();
            identifier.accept(ConnectionParameters.ZERO);
        }

        @Override
        public Progress progress() {
            return connection.progress();
        }

        @Override
        public void onEstablished() {
            if (greeting) {
                out.println("connected. posting send...");
                connection.postSend(
                        "message from passive/server side with pid "
                                + ProcessHandle.current().pid());
            }
        }

        private void onCompletion(SendReceiveConnection served, WorkCompletion completion) {
            if (!SendReceiveConnection.isSuccess(completion)) {
                return;
            }
            if (completion.opcode().isReceive()) {
                out.println("received message: " + served.received());
                received.set(true);
            } else {
                out.println("send completed successfully.");
            }
        }

        @Override
        public void onDisconnected() {
            out.println("peer disconnected.");
            connection.progress().throwIfFailed();
            if (!received.get()) {
                throw new ExampleException("the client disconnected before its message came");
            }
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
