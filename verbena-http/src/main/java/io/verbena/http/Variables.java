// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPoolStatistics;
import io.verbena.rpc.spi.ServerMethod;
import io.verbena.rpc.spi.ServerView;
import io.verbena.transport.Connection;
import io.verbena.transport.HandshakeState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** All numbers of a server at one moment, for pages that list them. Any thread. */
final class Variables {
    private final MethodWindows windows;

    Variables(MethodWindows windows) {
        this.windows = windows;
    }

    List<Variable> read(ServerView server) {
        List<Variable> all = new ArrayList<>();
        process(server, all);
        pool(server.pool().statistics(), all);
        connections(server.connections(), all);
        String prefix = "rpc_server_" + server.address().getPort() + "_";
        all.add(Variable.gauge(prefix + "concurrency", "calls in progress", server.concurrency()));
        all.add(
                new Variable(
                        prefix + "failed_authentications",
                        "clients with wrong credentials",
                        true,
                        server.failedAuthentications()));
        all.add(
                new Variable(
                        prefix + "dropped_connections",
                        "connections refused or cut because their clients proved nothing",
                        true,
                        server.droppedConnections()));
        all.add(
                new Variable(
                        prefix + "refused_queue_pairs",
                        "connections on TCP because of max_newcomer_queue_pairs",
                        true,
                        server.refusedQueuePairs()));
        for (ServerMethod method : server.methods()) {
            method(prefix, method, all);
        }
        return all;
    }

    private static void process(ServerView server, List<Variable> all) {
        Runtime runtime = Runtime.getRuntime();
        all.add(Variable.gauge("pid", "process id", ProcessHandle.current().pid()));
        all.add(
                Variable.gauge(
                        "process_uptime",
                        "seconds since the server was started",
                        Duration.between(server.startedAt(), Instant.now()).toSeconds()));
        all.add(
                Variable.gauge(
                        "process_heap_used_bytes",
                        "heap in use, including garbage",
                        runtime.totalMemory() - runtime.freeMemory()));
        all.add(Variable.gauge("process_heap_max_bytes", "heap limit", runtime.maxMemory()));
        all.add(
                Variable.gauge(
                        "rpc_client_calls",
                        "calls this process has under way as a client",
                        server.clientCalls()));
    }

    private static void pool(BlockPoolStatistics pool, List<Variable> all) {
        for (BlockPoolStatistics.Type type : pool.types()) {
            String prefix = "block_pool_" + type.type().name().toLowerCase(Locale.ROOT) + "_";
            all.add(Variable.gauge(prefix + "total", "all blocks", type.total()));
            all.add(Variable.gauge(prefix + "used", "blocks in use", type.used()));
            all.add(Variable.gauge(prefix + "cached", "blocks in caches", type.cached()));
            all.add(
                    new Variable(
                            prefix + "exhaustions",
                            "allocations that found no free block",
                            true,
                            type.exhaustions()));
        }
    }

    private static void connections(Collection<Connection> connections, List<Variable> all) {
        all.add(Variable.gauge("connection_count", "clients", connections.size()));
        all.add(
                Variable.gauge(
                        "rdma_connection_count",
                        "clients over RDMA",
                        connections.stream().filter(Connection::isRdma).count()));
        all.add(
                Variable.gauge(
                        "fallback_connection_count",
                        "clients over TCP although RDMA was asked for",
                        connections.stream()
                                .map(Connection::handshakeState)
                                .filter(HandshakeState.FALLBACK_TCP::equals)
                                .count()));
        all.add(
                Variable.gauge(
                        "unwritten_bytes",
                        "bytes waiting to be sent to clients",
                        connections.stream().mapToLong(Connection::unwrittenBytes).sum()));
    }

    private void method(String prefix, ServerMethod method, List<Variable> all) {
        String name = prefix + Variable.underscored(method.descriptor().getFullName()) + "_";
        Recent recent = windows.of(method);
        for (MethodFigure figure : MethodFigure.values()) {
            all.add(
                    new Variable(
                            name + figure.id(),
                            method + ": " + figure.label(),
                            figure.isCounter(),
                            figure.read(method.status(), recent)));
        }
    }
}
