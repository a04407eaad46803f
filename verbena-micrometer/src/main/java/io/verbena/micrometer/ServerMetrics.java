// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.rpc.Server;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.HandshakeState;
import java.util.function.Predicate;

/**
 * The connections of a server: {@code verbena.server.connections} by transport, {@code
 * verbena.server.connections.fallback} for those that asked for RDMA and got TCP, {@code
 * verbena.server.connections.stalled} for those that wait until their peer has receives left, and
 * {@code verbena.server.concurrency}.
 */
public final class ServerMetrics implements MeterBinder {
    private final Server server;

    /**
     * Metrics of a server.
     *
     * @param server a server that is started
     */
    public ServerMetrics(Server server) {
        this.server = server;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("verbena.server.concurrency", server, Server::concurrency)
                .description("calls that the server works on")
                .register(registry);
        connections(registry, "", "rdma", Connection::isRdma);
        connections(registry, "", "tcp", connection -> !connection.isRdma());
        connections(
                registry,
                ".fallback",
                "tcp",
                connection -> connection.handshakeState() == HandshakeState.FALLBACK_TCP);
        connections(registry, ".stalled", "rdma", ServerMetrics::isStalled);
    }

    private void connections(
            MeterRegistry registry, String suffix, String transport, Predicate<Connection> which) {
        Gauge.builder(
                        "verbena.server.connections" + suffix,
                        server,
                        s -> s.connections().stream().filter(which).count())
                .tag("transport", transport)
                .register(registry);
    }

    private static boolean isStalled(Connection connection) {
        if (!connection.isRdma()) {
            return false;
        }
        ConnectionStatistics now = connection.statistics();
        return now.unwrittenBytes() > 0 && now.remoteReceiveWindow() == 0;
    }
}
