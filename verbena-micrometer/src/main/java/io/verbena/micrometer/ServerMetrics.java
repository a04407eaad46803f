// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.rpc.Server;

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
        ConnectionGauges.bind(registry, "verbena.server.connections", server, Server::connections);
    }
}
