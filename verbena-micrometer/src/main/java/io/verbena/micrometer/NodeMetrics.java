// SPDX-License-Identifier: Apache-2.0
package io.verbena.micrometer;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.verbena.memory.BlockPoolStatistics;
import io.verbena.rpc.RpcNode;

/**
 * What the servers and channels of a process share: calls under way as {@code verbena.node.calls};
 * the connections of its channels as {@code verbena.client.connections} by transport, with {@code
 * .fallback} for those that asked for RDMA and got TCP, and {@code .stalled} for those that wait
 * until their server has receives left; and the memory pool as {@code verbena.pool.blocks.used},
 * {@code verbena.pool.blocks.free} and {@code verbena.pool.regions}, by block type.
 */
public final class NodeMetrics implements MeterBinder {
    private final RpcNode node;

    /**
     * Metrics of a node.
     *
     * @param node must be open as long as the registry reads them
     */
    public NodeMetrics(RpcNode node) {
        this.node = node;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("verbena.node.calls", node, RpcNode::callsUnderWay)
                .description("calls that this process has under way as a client")
                .register(registry);
        ConnectionGauges.bind(registry, "verbena.client.connections", node, RpcNode::connections);
        Gauge.builder("verbena.pool.regions", node, n -> n.pool().statistics().regions().size())
                .description("registered regions of memory")
                .register(registry);
        for (BlockPoolStatistics.Type type : node.pool().statistics().types()) {
            Gauge.builder(
                            "verbena.pool.blocks.used",
                            node,
                            n -> n.pool().statistics().type(type.type()).used())
                    .description("blocks in use")
                    .tag("type", type.type().name())
                    .register(registry);
            Gauge.builder(
                            "verbena.pool.blocks.free",
                            node,
                            n -> n.pool().statistics().type(type.type()).free())
                    .description("blocks that are registered and free")
                    .tag("type", type.type().name())
                    .register(registry);
        }
    }
}
