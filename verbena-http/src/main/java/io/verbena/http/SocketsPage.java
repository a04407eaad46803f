// SPDX-License-Identifier: Apache-2.0
package io.verbena.http;

import io.verbena.memory.BlockPoolStatistics;
import io.verbena.rpc.Addresses;
import io.verbena.transport.Connection;
import io.verbena.transport.ConnectionStatistics;
import io.verbena.transport.TlsSession;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Everything about one connection, {@code /sockets/ID}, and about the pool that RDMA takes its
 * blocks from.
 */
final class SocketsPage implements Page {
    private static final List<String> POOL_COLUMNS =
            List.of(
                    "type",
                    "total",
                    "used",
                    "cached",
                    "free",
                    "reserve_total",
                    "reserve_used",
                    "exhaustions");

    private final ConnectionsPage all = new ConnectionsPage();

    @Override
    public String name() {
        return "sockets";
    }

    @Override
    public String description() {
        return "handshake, windows and memory of one connection: /sockets/ID";
    }

    @Override
    public PageContent show(PageRequest request) throws RefusedRequestException {
        if (request.below().isEmpty()) {
            return all.show(request);
        }
        for (Connection connection : request.server().connections()) {
            if (Long.toString(connection.id()).equals(request.below())) {
                return show(connection, request.server().pool().statistics());
            }
        }
        throw PageRequest.notFound("socket: unknown (expected: an id listed by /connections)");
    }

    private static Document show(Connection connection, BlockPoolStatistics pool) {
        ConnectionStatistics now = connection.statistics();
        Document document =
                new Document("socket " + connection.id())
                        .fields("connection", connection(connection, now))
                        .fields("traffic", traffic(now));
        if (connection.isRdma()) {
            document.fields("windows", windows(now));
        }
        return document.table("pool", POOL_COLUMNS, pool(pool));
    }

    private static Map<String, Object> connection(Connection connection, ConnectionStatistics now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("id", connection.id());
        fields.put("remote_side", Addresses.text(connection.remoteAddress()));
        fields.put("local_side", Addresses.text(connection.localAddress()));
        fields.put("transport", connection.isRdma() ? "rdma" : "tcp");
        fields.put("tls", connection.tls().map(SocketsPage::describe).orElse("none"));
        fields.put("handshake_state", now.handshakeState());
        fields.put("rdma_state", now.rdmaState());
        connection.fallbackReason().ifPresent(why -> fields.put("fallback_reason", why));
        fields.put("handshake_version", now.handshakeVersion());
        return fields;
    }

    private static String describe(TlsSession tls) {
        return String.join(
                " ",
                tls.protocol(),
                tls.cipherSuite(),
                tls.applicationProtocol(),
                tls.identity(),
                tls.isResumed() ? "resumed" : "");
    }

    private static Map<String, Object> traffic(ConnectionStatistics now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("in_bytes", now.receivedBytes());
        fields.put("out_bytes", now.sentBytes());
        fields.put("unwritten_bytes", now.unwrittenBytes());
        fields.put("in_messages", now.receivedMessages());
        fields.put("out_messages", now.sentMessages());
        fields.put("in_acknowledgements", now.receivedAcknowledgements());
        fields.put("out_acknowledgements", now.sentAcknowledgements());
        return fields;
    }

    private static Map<String, Object> windows(ConnectionStatistics now) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("local_window_capacity", now.localWindowCapacity());
        fields.put("remote_window_capacity", now.remoteWindowCapacity());
        fields.put("remote_receive_window", now.remoteReceiveWindow());
        fields.put("send_window", now.sendWindow());
        fields.put("acknowledgement_window", now.acknowledgementWindow());
        fields.put("unreported_receives", now.unreportedReceives());
        fields.put("unsignaled_requests", now.unsignaledRequests());
        return fields;
    }

    private static List<List<Object>> pool(BlockPoolStatistics pool) {
        return pool.types().stream()
                .map(
                        type ->
                                List.<Object>of(
                                        type.type(),
                                        type.total(),
                                        type.used(),
                                        type.cached(),
                                        type.free(),
                                        type.reserveTotal(),
                                        type.reserveUsed(),
                                        type.exhaustions()))
                .toList();
    }
}
