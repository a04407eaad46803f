// SPDX-License-Identifier: Apache-2.0
package io.verbena.spring;

import io.verbena.rpc.RpcNode;
import io.verbena.rpc.Server;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Up while the server listens, or if the application has none. That RDMA is missing is a detail and
 * no reason to be down: calls then go over TCP.
 */
final class VerbenaHealth implements HealthIndicator {
    private final RpcNode node;
    private final ObjectProvider<VerbenaServer> server;

    VerbenaHealth(RpcNode node, ObjectProvider<VerbenaServer> server) {
        this.node = node;
        this.server = server;
    }

    @Override
    public Health health() {
        VerbenaServer expected = server.getIfAvailable();
        Optional<Server> running = expected == null ? Optional.empty() : expected.server();
        Health.Builder health =
                expected == null || running.isPresent() ? Health.up() : Health.down();
        health.withDetail("device", node.deviceName())
                .withDetail("rdma", node.transport().isRdmaAvailable())
                .withDetail("callsUnderWay", node.callsUnderWay());
        running.ifPresent(
                listening ->
                        health.withDetail("port", listening.address().getPort())
                                .withDetail("connections", listening.connections().size()));
        return health.build();
    }
}
