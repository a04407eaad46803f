// SPDX-License-Identifier: Apache-2.0

package io.verbena.cli.rping;

import io.verbena.verbs.ConnectionListener;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.DeviceContext;
import java.net.InetSocketAddress;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves clients: one, or all that connect, concurrently. */
final class AcceptLoop {
    private static final int BACKLOG = 3;

    private final PingServer server;
    private final Output output;

    AcceptLoop(PingServer server, Output output) {
        this.server = server;
        this.output = output;
    }

    /** Serves one client. */
    void runOnce(DeviceContext context, InetSocketAddress address) throws InterruptedException {
        try (ConnectionListener listener = listen(context, address)) {
            server.serve(listener.awaitRequest());
        }
    }

    /** Serves clients until it is interrupted; a failing client does not affect the others. */
    void runForEver(DeviceContext context, InetSocketAddress address) throws InterruptedException {
        try (ConnectionListener listener = listen(context, address);
                ExecutorService threads =
                        Executors.newThreadPerTaskExecutor(
                                Thread.ofVirtual().name("rping-", 0).factory())) {
            try {
                while (true) {
                    ConnectionRequest request = listener.awaitRequest();
                    threads.execute(() -> serve(request));
                }
            } finally {
                threads.shutdownNow();
            }
        }
    }

    private ConnectionListener listen(DeviceContext context, InetSocketAddress address) {
        ConnectionListener listener = ConnectionListener.listen(context, address, BACKLOG);
        output.step("rdma_listen");
        if (address.getPort() == 0) {
            output.out().println("listening on port " + listener.localAddress().getPort());
        }
        return listener;
    }

    private void serve(ConnectionRequest request) {
        try {
            server.serve(request);
        } catch (RuntimeException e) {
            output.notice("verbena: rping server failed: " + e.getMessage());
        } catch (InterruptedException e) {
            // The whole server ends.
            Thread.currentThread().interrupt();
        }
    }
}
