// SPDX-License-Identifier: Apache-2.0

package io.verbena.examples;

import io.verbena.verbs.ConnectionIdentifier;
import io.verbena.verbs.DeviceContext;
import java.io.PrintStream;

/**
 * The passive side of the tutorial's {@code rdma_write_read}: learns where the client's memory is,
 * tells it where its own is, and moves a text one-sidedly, while the client does the same.
 */
public final class WriteReadServer {
    private final PrintStream out;
    private final WriteReadMode mode;

    /**
     * Creates a server that does not listen yet.
     *
     * @param out where to print
     * @param mode which way to move data, the same as the clients'
     */
    public WriteReadServer(PrintStream out, WriteReadMode mode) {
        this.out = out;
        this.mode = mode;
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

    /** What the server does on one connection: it waits for the client's first message. */
    private final class Served implements ServedConnection {
        private final WriteReadConnection connection;

        Served(SharedContext context, ConnectionIdentifier identifier) {
            String text =
                    "message from passive/server side with pid " + ProcessHandle.current().pid();
            connection = new WriteReadConnection(context, identifier, mode, text, out);
            identifier.accept(WriteReadConnection.PARAMETERS);
        }

        @Override
        public Progress progress() {
            return connection.progress();
        }

        @Override
        public void onEstablished() {}

        @Override
        public void onDisconnected() {
            out.println("peer disconnected.");
            connection.onDisconnected();
        }

        @Override
        public void close() {
            connection.close();
        }
    }
}
