// SPDX-License-Identifier: Apache-2.0
package io.verbena.transport;

import io.verbena.memory.IOBuf;
import io.verbena.testing.Eventually;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Records its callbacks, and fails on those that must not happen. */
public class RecordingHandler implements ConnectionHandler {
    private final CompletableFuture<Connection> opened = new CompletableFuture<>();
    private final CompletableFuture<TransportException> closed = new CompletableFuture<>();
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final AtomicInteger inside = new AtomicInteger();
    private final CompletableFuture<Void> faults = new CompletableFuture<>();

    @Override
    public void onOpen(Connection connection) {
        enter(!opened.isDone() && !closed.isDone(), "onOpen");
        opened.complete(connection);
        inside.decrementAndGet();
    }

    @Override
    public void onData(Connection connection, IOBuf received) {
        enter(opened.isDone() && !closed.isDone(), "onData");
        synchronized (data) {
            data.writeBytes(received.toByteArray());
        }
        received.clear();
        inside.decrementAndGet();
    }

    @Override
    public void onClose(Connection connection, TransportException reason) {
        enter(!closed.isDone(), "onClose");
        closed.complete(reason);
        inside.decrementAndGet();
    }

    private void enter(boolean isRight, String method) {
        if (inside.incrementAndGet() != 1) {
            faults.completeExceptionally(new AssertionError(method + ": two calls at once"));
        }
        if (!isRight) {
            faults.completeExceptionally(new AssertionError(method + ": out of order"));
        }
    }

    public Connection awaitOpen() throws Exception {
        return opened.get(30, TimeUnit.SECONDS);
    }

    public boolean hasOpened() {
        return opened.isDone();
    }

    public TransportException awaitClose() throws Exception {
        TransportException reason = closed.get(30, TimeUnit.SECONDS);
        if (faults.isCompletedExceptionally()) {
            faults.join();
        }
        return reason;
    }

    public boolean hasClosed() {
        return closed.isDone();
    }

    public byte[] bytes() {
        synchronized (data) {
            return data.toByteArray();
        }
    }

    public void awaitText(String expected) {
        Eventually.be(expected, () -> new String(bytes(), StandardCharsets.US_ASCII));
    }
}
