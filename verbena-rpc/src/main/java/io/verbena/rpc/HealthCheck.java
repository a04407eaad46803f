// SPDX-License-Identifier: Apache-2.0
package io.verbena.rpc;

import io.verbena.memory.IOBuf;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionHandler;
import io.verbena.transport.SocketMode;
import io.verbena.transport.Transport;
import io.verbena.transport.TransportClient;
import io.verbena.transport.TransportException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds out when an unreachable server is reachable again: tries a plain TCP connection after a
 * tenth of a second, then every {@code health_check_interval} seconds.
 */
final class HealthCheck {
    private static final Logger LOG = LoggerFactory.getLogger(HealthCheck.class);
    private static final long FIRST_DELAY_MS = 100;

    private final Transport transport;
    private final ScheduledExecutorService chores;
    private final RpcFlags flags;

    HealthCheck(Transport transport, ScheduledExecutorService chores, RpcFlags flags) {
        this.transport = transport;
        this.chores = chores;
        this.flags = flags;
    }

    /** Probes a server until it is back. */
    void watch(RemoteServer server) {
        LOG.info("{} cannot be reached", server.key().address());
        schedule(server, FIRST_DELAY_MS);
    }

    private void schedule(RemoteServer server, long delayMs) {
        try {
            var _ = chores.schedule(() -> probe(server), delayMs, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("no more health checks: the node is closed", e);
        }
    }

    private void probe(RemoteServer server) {
        if (server.isClosed()) {
            return;
        }
        new TransportClient(transport, SocketMode.TCP)
                .connect(server.key().address(), new Probe(server));
    }

    /** A connection that only tests whether the server accepts it. */
    private final class Probe implements ConnectionHandler {
        private final RemoteServer server;
        private boolean hasOpened;

        Probe(RemoteServer server) {
            this.server = server;
        }

        @Override
        public void onOpen(Connection connection) {
            hasOpened = true;
            LOG.info("{} can be reached again", server.key().address());
            server.revive();
            connection.close();
        }

        @Override
        public void onData(Connection connection, IOBuf received) {
            received.clear();
        }

        @Override
        public void onClose(Connection connection, TransportException reason) {
            if (!hasOpened) {
                schedule(
                        server,
                        TimeUnit.SECONDS.toMillis(flags.number(RpcFlag.HEALTH_CHECK_INTERVAL)));
            }
        }
    }
}
