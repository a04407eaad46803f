// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import java.util.concurrent.CompletableFuture;

/** Completes a future when a connection opens, and otherwise leaves the user's handler alone. */
final class OpenFuture implements ConnectionHandler {
    private final ConnectionHandler handler;
    private final CompletableFuture<Connection> future = new CompletableFuture<>();

    OpenFuture(ConnectionHandler handler) {
        this.handler = handler;
    }

    CompletableFuture<Connection> future() {
        return future;
    }

    @Override
    public void onOpen(Connection connection) {
        handler.onOpen(connection);
        future.complete(connection);
    }

    @Override
    public void onData(Connection connection, IOBuf received) {
        handler.onData(connection, received);
    }

    @Override
    public void onClose(Connection connection, TransportException reason) {
        handler.onClose(connection, reason);
        future.completeExceptionally(reason);
    }
}
