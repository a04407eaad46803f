// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.HandshakeState;
import java.util.Collection;
import java.util.function.Function;
import java.util.function.Predicate;

/** Gauges that count the connections of a server, or of a node's channels. */
final class ConnectionGauges {
    private ConnectionGauges() {}

    /**
     * Adds them.
     *
     * @param <T> who has the connections
     * @param registry where to
     * @param name of the gauge of all connections; the others begin with it
     * @param owner has the connections; not kept alive
     * @param connections reads them
     */
    static <T> void bind(
            MeterRegistry registry,
            String name,
            T owner,
            Function<T, Collection<Connection>> connections) {
        count(registry, name, "rdma", owner, connections, Connection::isRdma);
        count(registry, name, "tcp", owner, connections, connection -> !connection.isRdma());
        count(registry, name + ".fallback", "tcp", owner, connections, ConnectionGauges::fellBack);
        count(registry, name + ".stalled", "rdma", owner, connections, ConnectionGauges::isStalled);
    }

    private static <T> void count(
            MeterRegistry registry,
            String name,
            String transport,
            T owner,
            Function<T, Collection<Connection>> connections,
            Predicate<Connection> which) {
        Gauge.builder(name, owner, o -> connections.apply(o).stream().filter(which).count())
                .tag("transport", transport)
                .register(registry);
    }

    private static boolean fellBack(Connection connection) {
        return connection.handshakeState() == HandshakeState.FALLBACK_TCP;
    }

    private static boolean isStalled(Connection connection) {
        if (!connection.isRdma()) {
            return false;
        }
        ConnectionStatistics now = connection.statistics();
        return now.unwrittenBytes() > 0 && now.remoteReceiveWindow() == 0;
    }
}
